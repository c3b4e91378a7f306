import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../src/client/index.js';
import { allEvents } from '../http/events.js';
import { givenProject, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';

describe('a consumer of events', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-consumer-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('that was killed between an event and its stored position goes on without a gap and in order', async () => {
    const project_id = await givenProject(team.owner);
    const results = Array.from({ length: 500 }, (_, n) => ({ name: `test ${n}`, status: 'passed' as const }));
    await createClient({ url: server.url, apiKey: team.owner.key! }).submitRun({ project_id, results });
    const all = (await allEvents(team.owner)).map(({ position }) => position);
    const taken = join(folder, 'taken');
    const position = join(folder, 'position');
    await writeFile(taken, '');
    const child = fileURLToPath(new URL('consume.child.js', import.meta.url));
    const kills = [1, 7, 200, 450];
    for (const killedAt of [...kills, 'never']) {
      const env = { ...process.env, URL_OF_SERVER: server.url, API_KEY: team.owner.key! };
      const args = [child, taken, position, String(killedAt)];
      const consumer = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
      const [code, signal] = await once(consumer, 'exit');
      expect(killedAt === 'never' ? code : signal).to.equal(killedAt === 'never' ? 0 : 'SIGKILL');
    }
    const lines = (await readFile(taken, 'utf8')).trim().split('\n');
    // Each start goes on at or before the event after the last one, and never jumps over one.
    let last = -1;
    for (const line of lines) {
      const at = all.indexOf(line);
      expect(at, 'no gap').to.be.within(0, last + 1);
      last = at;
    }
    expect([...new Set(lines)].sort()).to.deep.equal(all);
    expect(lines.length, 'the event of each kill comes again').to.be.at.least(all.length + kills.length);
    expect((await readFile(position, 'utf8')).trim()).to.equal(all.at(-1));
  }).timeout(60_000);
});
