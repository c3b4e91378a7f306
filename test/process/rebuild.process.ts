import { expect } from 'chai';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { Answer, Api } from '../kit/client.js';
import { givenProject, givenResult, givenRun } from '../http/given.js';
import { documentsOf } from './stored-documents.js';
import { writeHistory, type History } from './write-history.js';
import { servers, type Servers } from '../kit/process.js';
import { see } from './kill/random-writer.js';

describe('the process: a rebuild', () => {
  const given = servers();

  it('folds the same documents to the byte while writers go on, and no GET fails or stays stale meanwhile', async () => {
    const { server, history } = await withHistory(given);
    const before = await documentsOf(given.folder, OPERATOR_TEAM);
    expect(before.size).to.equal(1 + history.runs.length + history.results.length);

    const project = await givenProject(server.owner);
    let over = false;
    const reads: Reads = { all: 0, stale: 0 };
    const writers = Array.from({ length: 4 }, (_, n) =>
      writeAndRead(server.owner, project, { history, reads, writer: n, over: () => over }),
    );
    const rebuild = given.cli(['rebuild']);
    const { code } = await Promise.race([rebuild.ended, Promise.all(writers).then(() => rebuild.ended)]);
    over = true;
    const written = (await Promise.all(writers)).flat();
    expect(code, rebuild.stdout() + rebuild.stderr()).to.equal(0);
    for (const projection of ['records', 'history']) {
      expect(rebuild.stdout()).to.match(
        new RegExp(`^${projection}: done: \\d+ events folded; build 2 is live$`, 'm'),
      );
    }
    await server.line('rebuilding the views beside the live ones');
    expect(await server.line('the views are rebuilt and live')).to.include({ build: 2 });

    const after = await documentsOf(given.folder, OPERATOR_TEAM);
    for (const [name, document] of before) expect(after.get(name), name).to.equal(document);
    expect(written.length).to.be.greaterThan(4);
    // A busy machine makes a read stale now and then. A rebuild that held up the live views would make most of them so.
    expect(reads.stale).to.be.at.most(reads.all / 10);
    for (const record of written) {
      expect(await see(server.owner, { kind: 'result', id: record.test_result_id })).to.deep.equal(record);
    }
  });

  it('is refused with a clear message for a folder without a ledger', async () => {
    const rebuild = given.cli(['rebuild']);
    expect((await rebuild.ended).code).to.equal(1);
    expect(rebuild.stderr()).to.include(`testledger rebuild: there is no ledger in ${given.folder}\n`);
    expect(rebuild.stdout()).to.equal('');
  });

  it('does not say that there is no ledger in a folder into which it cannot look', async () => {
    const loop = join(given.folder, 'loop');
    // Root may look everywhere, but not through a link that leads to itself.
    await symlink(loop, loop);
    for (const command of [['rebuild'], ['projections'], ['keys', 'create', '--local', '--role', 'owner']]) {
      const refused = given.cli(command, { env: { DATA_DIR: loop } });
      expect((await refused.ended).code, command[0]).to.equal(1);
      expect(refused.stderr()).to.include(loop).and.not.include('there is no ledger');
    }
  });
});

/** A server whose views show all of a history of about 40,000 events. */
async function withHistory(given: Servers) {
  // The first start comes before the history: a log that is not empty gets no first key.
  await (await given.start()).stop();
  const history = await writeHistory(given.folder, 40);
  const server = await given.start({ env: withOldRuns });
  await server.caughtUp();
  return { server, history };
}

/** The history is old: the server would complete all of its runs for being idle, and so change their documents. */
const withOldRuns = { RUN_IDLE: 'off' };

/** How many reads there were, and how many of them answered that they were stale. */
type Reads = { all: number; stale: number };

type Writing = { history: History; reads: Reads; writer: number; over: () => boolean };

/** Writes results and reads each at once, together with parts of the history and both lists, until it is over. */
async function writeAndRead(
  owner: Api,
  project_id: string,
  { history: { project, runs, results }, reads, writer, over }: Writing,
): Promise<any[]> {
  const { test_run_id } = await givenRun(owner, project_id);
  const written: any[] = [];
  for (let n = writer; !over(); n += 1) {
    const record = await givenResult(owner, project_id, { test_run_id, test_name: `test ${n}` });
    written.push(record);
    const { body } = await current(owner, `/v1/test/result/${record.test_result_id}`, reads);
    expect(body).to.deep.equal(record);
    const run = await current(owner, `/v1/test/run/${test_run_id}`, reads);
    expect(run.body.counts.total).to.equal(written.length);
    const old = await current(owner, `/v1/test/result/${results[n % results.length]}`, reads);
    expect(old.body).to.include({ error_message: 'change 99', status: 'Passed' });
    const list = await current(owner, `/v1/test/result/?test_run_id=${runs[n % runs.length]}`, reads);
    expect(list.body.items).to.have.length(10);
    const found = await current(owner, `/v1/test/run/?project_id=${project}&page_size=100`, reads);
    expect(found.body.items).to.have.length(runs.length);
  }
  return written;
}

/** The answer that shows everything that was written before. Counts as stale if the first answer did not show it. */
async function current(owner: Api, path: string, reads: Reads): Promise<Answer> {
  reads.all += 1;
  let answer = await owner.getOnce(path);
  if (answer.headers.get('X-Read-Lag') !== null) {
    reads.stale += 1;
    answer = await owner.get(path);
  }
  expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
  return answer;
}
