/** The views beside, after and under a writer in another thread or process. */
import { expect } from 'chai';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { openSqliteViewReader } from '../../../src/adapters/sqlite/views/reader.js';
import type { ViewReader } from '../../../src/ports/views.js';
import { at, thingsSpec } from '../../contract/views/things.js';
import { KEPT, type ChildMessage } from './views.kept-documents.js';

const child = new URL('./views.child.js', import.meta.url);
const spec = thingsSpec();
const byAt = { field: 'at', direction: 'ascending' } as const;

describe('the views in a SQLite file with another writer', function () {
  let folder: string;
  let reader: ViewReader;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-views-'));
    reader = openSqliteViewReader({ folder });
  });
  afterEach(async () => {
    await reader.close();
    await rm(folder, { recursive: true });
  });

  it('a reader in another thread is notified of every commit and never sees a part of one', async () => {
    // The writer uses another path to the same folder.
    const link = `${folder}-link`;
    await symlink(folder, link);
    const worker = new Worker(child, { argv: [link] });
    try {
      for (let n = 1; n <= 1_000; n += 1) {
        const position = await reader.position('things', { atLeast: at(n), timeoutMs: 30_000 });
        expect(position >= at(n), `${position} is at least ${n}`).to.equal(true);
        const [left, right] = await reader.get(spec, 'things', ['left', 'right']);
        expect(left?.['n']).to.equal(right?.['n']).and.to.be.at.least(n);
        const { items, total } = await reader.find(spec, 'things', {
          where: {},
          sort: byAt,
          limit: 100,
          total: true,
        });
        expect(items).to.have.length(total ?? -1);
        n = Number(position);
      }
    } finally {
      worker.postMessage('stop');
      await once(worker, 'exit');
      await rm(link);
    }
  });

  it('a writer killed at any moment leaves documents, totals and checkpoint that agree, round after round', async () => {
    let reached = 0;
    for (let round = 0; round < 8; round += 1) {
      const writer = fork(child, [folder]);
      const ended = once(writer, 'exit');
      const more = 20 + Math.floor(Math.random() * 200);
      const last = await committedBy(writer, reached + more);
      writer.kill('SIGKILL');
      await ended;
      const position = Number(await reader.position('things'));
      expect(position, 'nothing that was answered is lost with the process').to.be.at.least(last);
      await expectAgreed(position);
      reached = position;
    }
  });

  it('a full disk refuses the commit, says why and when to try again, and leaves everything as it was', async () => {
    const limited = spawn(
      'sh',
      ['-c', `ulimit -f 2000; exec "$0" "$@"`, process.execPath, fileURLToPath(child), folder, '3000'],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    const ended = once(limited, 'exit');
    let reached = 0;
    let refusal: Extract<ChildMessage, { unavailable: unknown }>['unavailable'] | null = null;
    limited.on('message', (message: ChildMessage) => {
      if ('committed' in message) reached = message.committed;
      else refusal = message.unavailable;
    });
    await ended;
    expect(refusal).to.deep.include({ code: 'views_unavailable', retryAfter: 10 });
    expect(refusal)
      .to.have.property('detail')
      .that.includes('no space left')
      .and.includes(join(folder, 'records.sqlite'));
    expect(reached).to.be.greaterThan(0);
    expect(await reader.position('things')).to.equal(at(reached));
    await expectAgreed(reached);
  });

  /** The pair, the kept documents and the totals are those of the n-th commit. */
  async function expectAgreed(n: number): Promise<void> {
    const pair = await reader.get(spec, 'things', ['left', 'right']);
    expect(pair.map((one) => one?.['n'])).to.deep.equal([n, n]);
    const kept = Array.from({ length: Math.min(n, KEPT) }, (_, back) => n - back);
    const numbered = await reader.get(
      spec,
      'things',
      kept.map((one) => `n${one}`),
    );
    expect(numbered.map((one) => one?.['n'])).to.deep.equal(kept);
    const all = await reader.find(spec, 'things', { where: {}, sort: byAt, limit: 1_000, total: true });
    expect([all.items.length, all.total]).to.deep.equal([kept.length + 2, kept.length + 2]);
    for (const team of ['t0', 't1', 't2']) {
      const { items, total } = await reader.find(spec, 'things', {
        where: { team },
        sort: byAt,
        limit: 1_000,
        total: true,
      });
      expect([total, ...items.map((item) => item['team'])]).to.deep.equal([
        items.length,
        ...items.map(() => team),
      ]);
    }
  }
});

/** Resolves with the last commit that the process reports, once that is at least `wanted`. */
async function committedBy(writer: ChildProcess, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writer.on('message', (message: ChildMessage) => {
      if (!('committed' in message)) reject(new Error(JSON.stringify(message)));
      else if (message.committed >= wanted) resolve(message.committed);
    });
    writer.once('exit', (code) => reject(new Error(`the writer ended with ${code}`)));
  });
}
