/** What a server says of an imported report, read and judged as `testledger import` and `testledger gate` do it. */
import { noMasker } from '../../src/client/masking/masker.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '../../src/client/index.js';
import type { CiEnvironment } from '../../src/client/ci/ci-environment.js';
import { CliError } from '../../src/cli/errors.js';
import type { ExitCode } from '../../src/cli/exit-codes.js';
import { awaitRun } from '../../src/cli/gate/await-run.js';
import { exitCodeOf, judge } from '../../src/cli/gate/judge.js';
import { defaultGate, failOnKinds, type FailOn } from '../../src/domain/gate/judge-gate.js';
import { openCalls, type Calls } from '../../src/cli/import/calls.js';
import { describeRun } from '../../src/cli/import/describe-run.js';
import { sendImport } from '../../src/cli/import/import-reports.js';
import { survey } from '../../src/cli/import/survey.js';
import { givenProject } from '../http/given.js';
import type { TestServer } from '../kit/server.js';

/** How `gate` ends, for each `--fail-on`. */
export type ExitCodes = Record<FailOn, ExitCode>;

export type ToldRun = {
  outcome: 'passed' | 'failed' | 'skipped' | null;
  /** Of the results that no later attempt supersedes. */
  passed: number;
  failed: number;
  skipped: number;
  total: number;
  flaky: number;
  newFailures: number;
  /** The verdict of the server itself. */
  gate: string | null;
  exits: ExitCodes;
};

export type SentReport = { key: string; isRun: boolean };

export type Importing = {
  /** Imports a report, as the run with this key. */
  send(report: string, key: string): Promise<SentReport>;
  /** The run that came of it. Null where the import made none, and `gate` is refused for it. */
  told(sent: SentReport): Promise<ToldRun | null>;
};

/** A run is completed before its import ends; a server on a busy machine may be slow to compare it. */
const WAIT_MS = 60_000;

/** A project for each block of tests. Its runs are on no default branch, so that none is the baseline of another. */
export function importing(server: TestServer): Importing {
  let folder = '';
  let client: Client | null = null;
  let project = '';
  let files = 0;
  const spare: Calls[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-sessions-'));
  });
  beforeEach(async () => {
    const { owner } = await server.newTeam();
    client = createClient({ url: server.url, apiKey: owner.key! });
    project = await givenProject(owner);
  });
  after(async () => {
    for (const calls of spare) calls.close();
    await rm(folder, { recursive: true });
  });

  /** Each has 2 MiB: making them anew for each session took a fifth of the time. */
  async function withCalls<T>(work: (calls: Calls) => Promise<T>): Promise<T> {
    const calls = spare.pop() ?? openCalls();
    try {
      return await work(calls);
    } finally {
      calls.backTo({ result: 0, item: 0, files: 0 });
      spare.push(calls);
    }
  }

  return {
    async send(report, key) {
      const file = join(folder, `${(files += 1)}`);
      await writeFile(file, report);
      const to = { client: client!, url: server.url, project };
      const isRun = await withCalls((calls) => importFile(file, key, { ...to, calls }));
      await rm(file);
      return { key, isRun };
    },
    told: ({ key, isRun }) =>
      isRun ? toldRun(client!, { project, key }) : withoutRun(client!, { project, key }),
  };
}

type Sending = { client: Client; url: string; project: string; calls: Calls };

/** Whether the import made a run. It is `testledger import --run-key … --branch … --commit …`, without a CI service. */
async function importFile(
  file: string,
  key: string,
  { client, url, project, calls }: Sending,
): Promise<boolean> {
  const importing = { output: 'failed', checkout: process.cwd() } as const;
  const flags = { runKey: key, branch: 'guests', commit: `commit of ${key}` };
  const found = await survey([file], importing, calls);
  if (found.errors.length > 0) throw found.errors[0]!;
  const description = describeRun(flags, outsideOfCi, found, calls.contentKey());
  const wanted = {
    run: flags,
    complete: true,
    partial: false,
    strict: false,
    output: 'failed',
    pathPrefix: undefined,
    ownerFile: undefined,
    attachmentsRoot: undefined,
    masker: noMasker,
  } as const;
  const prepared = { survey: found, left: [], description, calls, masker: noMasker };
  const { why } = await sendImport(prepared, wanted, { client, url, project, onSent: () => undefined });
  return why === 'sent';
}

const outsideOfCi: CiEnvironment = {
  service: null,
  build: null,
  attempt: null,
  job: null,
  root: null,
  isSourceUnknown: false,
  environment: { os: 'linux' },
  earlierBuilds: [],
  start: null,
  metadata: {},
  jobMetadata: {},
};

const noProject = { id: '', name: '', default_branch: 'main' };

async function toldRun(client: Client, wanted: { project: string; key: string }): Promise<ToldRun> {
  const awaited = await awaitRun(client, wanted, WAIT_MS);
  const { run, comparison } = awaited;
  const { passed, failed, skipped, total } = run.standing_counts as Pick<
    ToldRun,
    'passed' | 'failed' | 'skipped' | 'total'
  >;
  const judged = { ...awaited, project: { ...noProject, gate: defaultGate } };
  const exits = failOnKinds.map((kind) => [kind, exitCodeOf(judge({ fail_on: kind }, judged))]);
  return {
    outcome: run.outcome,
    passed,
    failed,
    skipped,
    total,
    flaky: comparison.counts.flaky,
    newFailures: comparison.counts.new_failures,
    gate: run.gate,
    exits: Object.fromEntries(exits) as ExitCodes,
  };
}

/** @throws Error where `gate` finds a run, though none was made. */
async function withoutRun(client: Client, wanted: { project: string; key: string }): Promise<null> {
  const { run } = await awaitRun(client, wanted, 0).catch((error: unknown) => {
    if (error instanceof CliError && error.code === 'run_unknown') return { run: null };
    throw error;
  });
  if (run !== null) throw new Error(`no result was sent, and the run ${run.id} is there`);
  return null;
}
