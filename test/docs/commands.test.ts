import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended } from '../cli/command-line.js';
import { OWNER_KEY, servers, type RunningServer } from '../process/server.js';
import { pageAt, pages, repository, type Page } from './pages.js';
import { runSession } from './session.js';

/** Blocks that cannot run in a session, by their page and first line. */
const notRun: readonly { page: string; begins: string; because: string }[] = [
  { page: 'README.md', begins: 'npm ci && npm start', because: 'installs all packages' },
  { page: 'CONTRIBUTING.md', begins: 'npm ci', because: 'installs all packages' },
  {
    page: 'CONTRIBUTING.md',
    begins: "export TEST_EVENTS_URL='esdb://…'",
    because: 'runs the test suites on an EventStoreDB',
  },
  {
    page: 'clients/pytest/README.md',
    begins: 'pip install',
    because: 'test/clients/pytest.tools.ts runs it',
  },
  { page: 'clients/pytest/README.md', begins: 'npm run -s build', because: 'runs the suite of the plugin' },
  { page: 'docs/benchmark.md', begins: 'npm run bench', because: 'takes ten minutes' },
  { page: 'docs/benchmark.md', begins: 'npm run -s build', because: 'measures for ten seconds' },
  { page: 'docs/command-line.md', begins: 'npm ci && npm run build', because: 'installs all packages' },
  {
    page: 'docs/command-line.md',
    begins: 'testledger copy-log',
    because: 'needs an EventStoreDB; test/cli/copy-log.test.ts runs it between folders',
  },
  {
    page: 'docs/dashboard.md',
    begins: 'export TESTLEDGER_API_KEY',
    because: 'fills a service for half a minute; test/demo runs it small',
  },
  {
    page: 'docs/operations.md',
    begins: "export EVENTS_URL='esdb:",
    because: 'starts servers on other stores',
  },
  { page: 'docs/operations.md', begins: "export BLOBS_URL='s3:", because: 'sets variables of servers on S3' },
  { page: 'docs/operations.md', begins: "export BUS_URL='nats:", because: 'starts servers on NATS' },
  {
    page: 'docs/operations.md',
    begins: 'npm run -s testledger -- keys create --local',
    because: 'needs a server that is stopped; test/process/keys.create.test.ts runs it',
  },
  {
    page: 'docs/sign-in.md',
    begins: 'npm run -s testledger -- people',
    because: 'needs accounts of people; test/process/people.test.ts runs it',
  },
  { page: 'docs/operations.md', begins: 'docker compose up', because: 'needs Docker' },
  { page: 'docs/pytest.md', begins: 'pip install', because: 'test/clients/pytest.tools.ts runs it' },
  { page: 'docs/pytest.md', begins: 'pytest --', because: 'test/clients/pytest.tools.ts runs it' },
  { page: 'docs/start.md', begins: 'npm ci && npm run build', because: 'installs all packages' },
];

const isNotRun = (page: Page, text: string) =>
  notRun.some(({ page: path, begins }) => path === page.path && text.startsWith(begins));
const shellOf = (page: Page) =>
  page.blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
const runnableOf = (page: Page) => shellOf(page).filter((text) => !isNotRun(page, text));
const firstRun = shellOf(pageAt('docs/start.md')).find((text) => text.startsWith('key=tl_…'))!;

describe('Commands of the documents', () => {
  const server = servers();
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'testledger-docs-'))));
  afterEach(() => rm(folder, { recursive: true }));

  for (const page of pages.filter((each) => runnableOf(each).length > 0))
    it(`run, and end as the page says: ${page.path}`, async () => {
      const running = await server.start({ env: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
      const blocks = runnableOf(page);
      const before = page.text.includes('(start.md#a-first-run-with-curl)') ? [firstRun] : [];
      const replace = await replacements(running);
      const { code, stdout, stderr } = await runSession({
        folder,
        blocks: [...before, ...blocks].map(replace),
        env: await environment(running, page),
        files: Object.fromEntries(
          page.blocks.flatMap(({ file, text }) => (file === null ? [] : [[file, replace(text)]])),
        ),
      });
      expect(code, `${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`).to.equal(0);
    });

  /** A page that starts a server of its own gets another folder and port for it. */
  async function environment(running: RunningServer, page: Page): Promise<Record<string, string>> {
    const own = shellOf(page).some((text) => text.includes('testledger serve'));
    const { body } = await running.owner.post('/v1/projects', { name: 'Of the reader' });
    return {
      OWNER_KEY,
      SERVER: running.url,
      TESTLEDGER_URL: running.url,
      TESTLEDGER_API_KEY: OWNER_KEY,
      TESTLEDGER_PROJECT: body.data.id,
      DATA_DIR: own ? join(folder, 'data') : server.folder,
      ...(own && { PORT: '0' }),
      ...(page.path === 'docs/gate.md' && build),
    };
  }

  async function replacements(running: RunningServer): Promise<(text: string) => string> {
    const team = (await running.owner.post('/v1/teams', { name: 'Others' })).body.data.id as string;
    const project = (await running.owner.post('/v1/projects', { name: 'Shop' })).body.data.id as string;
    const port = await freePort();
    return (text) =>
      text
        .replaceAll(/http:\/\/127\.0\.0\.1:8080|https:\/\/ledger\.example\.org/g, running.url)
        .replaceAll('project_…', project)
        .replaceAll('tl_…', OWNER_KEY)
        .replaceAll('team_…', team)
        .replaceAll('127.0.0.1:9000', `127.0.0.1:${port}`)
        .replaceAll('.listen(9000)', `.listen(${port})`)
        .replaceAll('/backups/', `${folder}/backups/`)
        .replaceAll('${fpath[1]}', folder);
  }
});

describe('Blocks of the documents', () => {
  it('that are listed as not run exist', () => {
    const gone = notRun.filter(
      ({ page, begins }) => !shellOf(pageAt(page)).some((text) => text.startsWith(begins)),
    );
    expect(gone).to.deep.equal([]);
  });

  it('with shell commands have the language sh, so that they are run', () => {
    const others = pages.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => ['bash', 'shell', 'console', 'zsh'].includes(language))
        .map(({ text }) => `${path}: ${text}`),
    );
    expect(others).to.deep.equal([]);
  });

  it('with programs of a reader agree with the types of the package', async function () {
    this.timeout(120_000);
    // Below the repository, so that its packages and its own name are found.
    const folder = await mkdtemp(join(repository, 'dist/docs-'));
    try {
      const programs = pages.flatMap(({ path, blocks }) =>
        blocks
          .filter(({ text }) => text.includes("from 'testledger/client'"))
          .map(({ text }) => ({ path, text })),
      );
      const names = await Promise.all(
        programs.map(async ({ path, text }, n) => {
          const name = `${path.replaceAll(/\W/gu, '-')}-${n}.mjs`;
          await writeFile(join(folder, name), text);
          return name;
        }),
      );
      expect(names).to.have.length.above(2);
      const flags =
        '--noEmit --ignoreConfig --skipLibCheck --checkJs --strict false --module nodenext --target es2023';
      const tsc = join(repository, 'node_modules/typescript/bin/tsc');
      const { code, stdout } = await ended(
        process.execPath,
        [tsc, ...flags.split(' '), '--types', 'node', ...names],
        { cwd: folder, env: {} },
      );
      expect(code, stdout).to.equal(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** The commands of one job find their run by it. */
const build = {
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '77',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_STEP_SUMMARY: 'summary.md',
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
