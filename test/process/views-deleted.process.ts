import { expect } from 'chai';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { givenProject } from '../http/given.js';
import { documentsOf } from './stored-documents.js';
import { newSeed, randomFrom } from './seeded-random.js';
import { servers } from '../kit/process.js';
import { newWriter, writeOnce } from './kill/random-writer.js';

describe('the process: without its read models', () => {
  const given = servers();

  for (const how of ['SIGTERM', 'SIGKILL'] as const) {
    it(`folds every document from the log again, to the byte, when they were deleted after ${how}`, async () => {
      const seed = newSeed();
      const server = await given.start();
      const project = await givenProject(server.owner);
      const writers = Array.from({ length: 4 }, (_, n) =>
        newWriter(`w${n}`, randomFrom(seed + n), project, []),
      );
      for (let n = 0; n < 100; n += 1) {
        await Promise.all(writers.map((writer) => writeOnce(writer, server.owner)));
      }
      await server.caughtUp();
      server.signal(how);
      await server.ended;
      const before = await documentsOf(given.folder, OPERATOR_TEAM);
      expect(before.size).to.be.greaterThan(100);

      const files = (await readdir(given.folder)).filter((name) => name.startsWith('views.sqlite'));
      expect(files).to.include('views.sqlite');
      // SQLite removes -wal and -shm itself when the last connection closes.
      await Promise.all(files.map((name) => rm(join(given.folder, name), { force: true })));
      const again = await given.start();
      await again.caughtUp();
      await again.stop();
      const after = await documentsOf(given.folder, OPERATOR_TEAM);
      expect([...after], `TEST_SEED=${seed}`).to.deep.equal([...before]);
    });
  }
});
