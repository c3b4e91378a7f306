/** Runs the commands of a document on a server of its own, as its reader does. */
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER_KEY } from '../kit/environment.js';
import { servers, type RunningServer } from '../kit/process.js';
import { freePort } from '../kit/free-port.js';
import { runnableOf, shellOf } from './blocks.js';
import { pageAt, type Page } from './pages.js';
import { runSession } from './session.js';

const firstRun = shellOf(pageAt('docs/start.md')).find((text) => text.startsWith('key=tl_…'))!;

/** Declares a test for each page. */
export function runCommandsOf(pages: readonly Page[]): void {
  const server = servers();
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'testledger-docs-'))));
  afterEach(() => rm(folder, { recursive: true }));

  for (const page of pages)
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
}

/** The commands of one job find their run by it. */
const build = {
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '77',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_STEP_SUMMARY: 'summary.md',
};
