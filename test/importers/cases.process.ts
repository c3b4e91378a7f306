/** Reports and CI environments from public bug reports, each with the right values: `cases/README.md` says what a case has. */
import { expect } from 'chai';
import { chmod, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { judge } from '../../src/cli/gate/judge.js';
import { defaultGate, type FailOn } from '../../src/domain/gate/judge-gate.js';
import { cliMain, ended } from '../kit/command.js';
import type { Api } from '../kit/client.js';
import { testServer } from '../kit/server.js';

type Num = number | null | (number | null)[] | { min?: number; max?: number };
type Expected = {
  gate?: Record<string, number>;
  counts?: Record<string, Num>;
  flaky?: Num;
  new_failures?: Num;
  failure_groups?: Num;
  results?: ({ name: string } & Record<string, unknown>)[];
  errors?: string[];
  started_at?: string;
  finished_at?: string;
  duration_ms?: Num;
  ends_by_import?: true;
  metadata?: Record<string, string>;
  tests?: Num;
  states?: Record<string, string>;
  runs?: Num;
  run_keys?: 'equal' | 'different';
  warnings?: boolean;
  uploaded?: Num;
  project2?: Expected;
  any_of?: Expected[];
};
type Command = {
  run: string;
  env?: Record<string, string>;
  exit?: number | number[] | 'any';
  says?: string;
  says_not?: string;
};
type Case = {
  id: string;
  kind: string;
  files: string[];
  projects?: number;
  commands: Command[];
  expect: Expected;
  why: string;
};

/** What the commands of a case printed, all of the last one, and when it ended. */
type Printed = {
  last: string;
  runKeys: string[];
  warned: boolean;
  uploaded: number | null;
  endedAt: number;
};

const CASES = fileURLToPath(new URL('../../../test/importers/cases/', import.meta.url));
const cases = JSON.parse(readFileSync(join(CASES, 'cases.json'), 'utf8')) as Case[];

describe('a case from public reports', function () {
  this.timeout(120_000);
  const server = testServer();
  let folder = '';
  let bin = '';
  let owner: Api;
  before(async () => {
    bin = await mkdtemp(join(tmpdir(), 'testledger-bin-'));
    await writeFile(join(bin, 'testledger'), `#!/bin/sh\nexec '${process.execPath}' '${cliMain}' "$@"\n`);
    await chmod(join(bin, 'testledger'), 0o755);
  });
  after(() => rm(bin, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-case-'));
    ({ owner } = await server.newTeam());
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const { id, kind, why, files, projects = 1, commands, expect: expected } of cases) {
    it(`${kind} ${id}: ${why}`, async () => {
      for (const file of files) await copied(file);
      const ids: string[] = [];
      for (let n = 0; n < projects; n += 1) ids.push((await newProject(n)).id);
      const printed: Printed = { last: '', runKeys: [], warned: false, uploaded: null, endedAt: 0 };
      for (const command of commands) await runCommand(command, ids, printed);
      await holds(expected, ids[0]!, printed);
      if (expected.project2 !== undefined) await holds(expected.project2, ids[1]!, printed);
    });
  }

  async function copied(path: string): Promise<void> {
    await cp(join(CASES, path), join(folder, path), { recursive: true });
    if ((await stat(join(folder, path))).isDirectory()) return;
    if (path.includes('.template.')) {
      const text = await readFile(join(folder, path), 'utf8');
      await writeFile(join(folder, path), filled(text));
    }
  }

  function filled(template: string): string {
    return template
      .replaceAll('{{folder}}', folder)
      .replace(/\{\{now([+-]\d+)m\}\}/g, (_, minutes) =>
        new Date(Date.now() + Number(minutes) * 60_000).toISOString().slice(0, 19),
      );
  }

  async function newProject(n: number): Promise<{ id: string }> {
    return (await owner.post('/v1/projects', { name: `Shop ${n}` })).body.data;
  }

  async function runCommand(command: Command, projects: readonly string[], printed: Printed): Promise<void> {
    const withIds = (text: string) =>
      text
        .replaceAll('{cases}', folder)
        .replaceAll('{project2}', projects[1] ?? '')
        .replaceAll('{printed}', printed.last);
    const isImport = command.run.startsWith('testledger import ');
    const line = withIds(isImport ? `${command.run} --json` : command.run);
    const own = Object.entries(command.env ?? {}).map(([name, value]) => [name, withIds(value)]);
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      TESTLEDGER_URL: server.url,
      TESTLEDGER_API_KEY: owner.key!,
      TESTLEDGER_PROJECT: projects[0]!,
      ...(Object.fromEntries(own) as Record<string, string>),
    };
    const { code, stdout, stderr } = await ended('/bin/sh', ['-c', line], { cwd: folder, env });
    printed.endedAt = Date.now();
    printed.last = stdout.trim();
    const output = `${stdout}${stderr}`;
    const { exit = 0, says, says_not: saysNot } = command;
    if (exit !== 'any') expect([exit].flat(), `${line}\n${output}`).to.include(code);
    if (says !== undefined) expect(output).to.match(new RegExp(says, 'u'));
    if (saysNot !== undefined) expect(output).to.not.match(new RegExp(saysNot, 'u'));
    if (!isImport || code !== 0) return;
    const document = JSON.parse(stdout);
    printed.runKeys.push(document.run_key);
    printed.warned ||= document.warnings.length > 0;
    printed.uploaded = document.attachments.uploaded;
  }

  /** @throws AssertionError that names what differs. */
  async function holds(expected: Expected, project: string, printed: Printed): Promise<void> {
    const get = async (path: string) => (await owner.get(path)).body;
    const list = async (path: string) => {
      const body = await get(`${path}${path.includes('?') ? '&' : '?'}per_page=100`);
      expect(body.pagination.total, 'one page').to.be.at.most(100);
      return body.data as any[];
    };
    if (expected.warnings !== undefined) expect(printed.warned, 'warned').to.equal(expected.warnings);
    const runs = await list(`/v1/test-runs?project_id=${project}`);
    if (expected.runs !== undefined) expectNumber(runs.length, expected.runs, 'runs');
    if (runs.length === 0) {
      expect(['runs', 'warnings'], 'there is no run').to.include.members(Object.keys(expected));
      return;
    }
    const path = `/v1/test-runs/${runs[0].id}`;
    const run = (await get(path)).data;
    const standing = (await list(`${path}/results`)).filter(({ superseded_by: by }) => by === null);
    const shown = JSON.stringify(standing, [
      'name',
      'status',
      'attempt',
      'duration_ms',
      'started_at',
      'message',
    ]);
    for (const [key, value] of Object.entries(expected.counts ?? {}))
      expectNumber(run.standing_counts[key], value, `${key} of ${shown}`);
    const comparison = (await get(`${path}/comparison`)).data;
    const { counts } = comparison;
    const ofProject = { id: '', name: '', default_branch: 'main', gate: defaultGate };
    for (const [on, code] of Object.entries(expected.gate ?? {})) {
      const judged = { run, comparison, project: ofProject, isCurrent: true };
      const { passes, reasons } = judge({ fail_on: on as FailOn }, judged);
      expect(passes ? 0 : 1, `gate ${on}: ${reasons.join(', ')}`).to.equal(code);
    }
    if (expected.flaky !== undefined) expectNumber(counts.flaky, expected.flaky, 'flaky');
    if (expected.new_failures !== undefined)
      expectNumber(counts.new_failures, expected.new_failures, 'new failures');
    if (expected.failure_groups !== undefined)
      expectNumber((await list(`${path}/failures`)).length, expected.failure_groups, 'groups of failures');
    for (const { name, ...fields } of expected.results ?? []) {
      const named = standing.filter((result) => result.name.includes(name));
      expect(named.length, `results of ${name} in ${shown}`).to.be.above(0);
      for (const result of named)
        for (const [field, value] of Object.entries(fields))
          expect([value].flat(), `${field} of ${name}`).to.include(result[field]);
    }
    for (const text of expected.errors ?? []) {
      const errors = standing.map(({ error, error_message: message }) =>
        stripVTControlCharacters(`${message} ${JSON.stringify(error).replaceAll('\\u001b', '\u001b')}`),
      );
      expect(
        errors.some((error) => error.includes(text)),
        `${text} in ${errors.join('\n')}`,
      ).to.equal(true);
    }
    for (const key of ['started_at', 'finished_at'] as const)
      if (expected[key] !== undefined) expect(run[key], key).to.equal(expected[key]);
    if (expected.duration_ms !== undefined) expectNumber(run.duration_ms, expected.duration_ms, 'duration');
    if (expected.ends_by_import)
      expect(Date.parse(run.finished_at), run.finished_at).to.be.at.most(printed.endedAt + 1_000);
    if (expected.metadata !== undefined) expect(run).to.include(expected.metadata);
    if (expected.tests !== undefined || expected.states !== undefined) {
      const tests = await list(`/v1/projects/${project}/tests`);
      if (expected.tests !== undefined) expectNumber(tests.length, expected.tests, 'tests');
      for (const [name, state] of Object.entries(expected.states ?? {})) {
        const states = tests.filter((test) => test.name.includes(name)).map((test) => test.state);
        expect(new Set(states), name).to.deep.equal(new Set([state]));
      }
    }
    if (expected.run_keys !== undefined) {
      const distinct = new Set(printed.runKeys).size;
      expect(distinct, printed.runKeys.join(', ')).to.equal(
        expected.run_keys === 'equal' ? 1 : printed.runKeys.length,
      );
    }
    if (expected.uploaded !== undefined) expectNumber(printed.uploaded, expected.uploaded, 'uploaded files');
    if (expected.any_of !== undefined) {
      const faults: unknown[] = [];
      for (const one of expected.any_of) {
        const fault = await holds(one, project, printed).then(
          () => null,
          (error: unknown) => error,
        );
        if (fault === null) return;
        faults.push(fault);
      }
      throw new Error(`none of these holds:\n${faults.map(String).join('\n')}`);
    }
  }
});

function expectNumber(value: number | null, wanted: Num, what: string): void {
  if (typeof wanted === 'number' || wanted === null || Array.isArray(wanted)) {
    expect([wanted].flat(), what).to.include(value);
    return;
  }
  if (wanted.min !== undefined) expect(value, what).to.be.at.least(wanted.min);
  if (wanted.max !== undefined) expect(value, what).to.be.at.most(wanted.max);
}
