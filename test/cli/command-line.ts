/** The command line as a process, in a folder of its own, with a project of its own on the server of the suite. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Api } from '../kit/client.js';
import { cliMain, ended, type Ended } from '../kit/command.js';
import { testLoopback } from '../kit/loopback.js';
import type { TestServer } from '../kit/server.js';

export type CommandLine = {
  /** The working folder of the commands, empty before each test. */
  readonly folder: string;
  /** Of the team of the project. */
  readonly owner: Api;
  /** The id of the project. */
  readonly project: string;
  /** What the commands know of the server. Their key is that of a pipeline: a reporter of the one project. */
  readonly env: Readonly<Record<string, string>>;
  file(path: string, content: string | Uint8Array): Promise<string>;
  run(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** With `--json`; the document on stdout. */
  json(args: readonly string[], env?: Record<string, string>): Promise<Ended & { document: any }>;
};

/** A busy machine may need many times as long as a quiet one. */
const TEST_WITHIN_MS = 600_000;

export function commandLine(server: TestServer): CommandLine {
  let folder = '';
  let owner: Api | null = null;
  let project = '';
  let key = '';
  const command: CommandLine = {
    get folder() {
      return folder;
    },
    get owner() {
      return owner!;
    },
    get project() {
      return project;
    },
    get env() {
      return { TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: key, TESTLEDGER_PROJECT: project };
    },
    async file(path, content) {
      const at = join(folder, path);
      await mkdir(dirname(at), { recursive: true });
      await writeFile(at, content);
      return at;
    },
    run: (args, env = {}) =>
      ended(process.execPath, [cliMain, ...args], { cwd: folder, env: { ...command.env, ...env } }),
    async json(args, env) {
      const answer = await command.run(['--json', ...args], env);
      return { ...answer, document: JSON.parse(answer.stdout) };
    },
  };

  beforeEach(async function () {
    this.currentTest!.timeout(TEST_WITHIN_MS);
    folder = await mkdtemp(join(tmpdir(), 'testledger-cli-'));
    ({ owner } = await server.newTeam());
    const { body } = await owner.post('/v1/projects', { name: 'Shop' });
    project = body.data.id;
    const wanted = { name: 'ci', role: 'reporter', project_ids: [project] };
    key = (await owner.post('/v1/keys', wanted)).body.data.key;
  });
  afterEach(() => rm(folder, { recursive: true }));
  return command;
}

/**
 * What a command knows of a server that has no time for an hour. No command waits so long, so it ends at once, in the way in
 * which it ends after ten seconds without any answer.
 */
export function serverThatIsAway(): Readonly<Record<string, string>> {
  const busy = testLoopback((_, response) => response.writeHead(503, { 'retry-after': '3600' }).end());
  return {
    get TESTLEDGER_URL() {
      return busy.url;
    },
  };
}

/** A report with these test cases. */
export function junit(
  cases: Record<string, 'passed' | 'failed' | 'skipped'>,
  message = 'expected 3 to equal 4',
): string {
  const shown = Object.entries(cases).map(([name, status]) => {
    const child = {
      passed: '',
      skipped: '<skipped/>',
      failed: `<failure message="${message}">at cart.js:1</failure>`,
    };
    return `<testcase classname="cart" name="${name}" time="0.5">${child[status]}</testcase>`;
  });
  return `<testsuite name="unit" timestamp="2026-11-21T01:00:00Z">${shown.join('\n')}</testsuite>`;
}
