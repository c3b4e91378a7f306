import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { START } from '../../../src/domain/event.js';
import { readToEnd } from '../../contract/event-log/events.js';
import type { Api } from '../../kit/client.js';
import { givenProject } from '../../http/given.js';
import { checkAll, checkLog, type Snapshots } from '../check-reads.js';
import type { Run } from '../expected-records.js';
import { forget, newWriter, resume, sharedRun, writeOnce, type Writer } from './random-writer.js';
import { newSeed, randomFrom } from '../seeded-random.js';
import { isGone, servers, until } from '../../kit/process.js';

const ROUNDS = 6;
const WRITERS = 32;
const SHARED = 4;

describe('the process: kill -9', () => {
  const given = servers();

  it('keeps every answered write, leaves no write half done, and does a write that is repeated with its key once', async () => {
    const seed = newSeed();
    try {
      await manyKills(seed);
    } catch (error) {
      (error as Error).message += ` (TEST_SEED=${seed})`;
      throw error;
    }
  });

  async function manyKills(seed: number): Promise<void> {
    const random = randomFrom(seed);
    let server = await given.start();
    const project = await givenProject(server.owner);
    const shared: Run[] = [];
    for (let n = 0; n < SHARED; n += 1) shared.push(await sharedRun(server.owner, project, `shared-${n}`));
    const writers = Array.from({ length: WRITERS }, (_, n) =>
      newWriter(`w${n}`, randomFrom(random.below(2 ** 31)), project, shared),
    );
    const snapshots: Snapshots = new Map();

    for (let round = 0; round < ROUNDS; round += 1) {
      const written = () => writers.reduce((sum, { writes }) => sum + writes, 0);
      const enough = written() + 40 + random.below(220);
      let killed = false;
      const writing = writers.map((writer) => writeUntilKilled(writer, server.owner, () => killed));
      await Promise.race([until('enough writes', () => written() >= enough), Promise.all(writing)]);
      await pause(random.below(4));
      killed = true;
      await server.kill();
      await Promise.all(writing);
      // A kill may also come during a start.
      if (round % 5 === 4) {
        const starting = given.launch();
        await pause(random.below(600));
        starting.signal('SIGKILL');
        await starting.ended;
      }
      server = await given.start();
      const { owner } = server;
      await server.caughtUp();
      await Promise.all(writers.map((writer) => resume(writer, owner)));
      writers.forEach(forget);
      await checkAll(owner, project, { writers, shared, snapshots, all: round === ROUNDS - 1 });
      for (const { touched } of writers) touched.clear();
    }

    await server.kill();
    const log = await openSqliteLog({ folder: given.folder, mode: 'writer' });
    const { events } = await readToEnd(log, { after: START });
    await log.close();
    checkLog(events, [...shared, ...writers.flatMap((writer) => writer.runs)]);
  }
});

async function writeUntilKilled(writer: Writer, api: Api, killed: () => boolean): Promise<void> {
  try {
    for (;;) await writeOnce(writer, api);
  } catch (error) {
    if (!killed() || !isGone(error)) throw error;
  }
}
