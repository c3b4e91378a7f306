import { expect } from 'chai';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { createTeam } from '../../src/commands/teams.js';
import { hashOfKey } from '../../src/domain/teams/api-key.js';
import { START } from '../../src/domain/event.js';
import { openApiKeys } from '../../src/keys/api-keys.js';
import { openKeyIndex, type KeyIndexContent } from '../../src/keys/key-index.js';
import { readKeySnapshot, writeKeySnapshot } from '../../src/keys/key-snapshot.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { contextOf, embeddedStores, givenRun, NOW } from '../stores.js';

describe('the snapshot of API keys', () => {
  const stores = embeddedStores('each test');
  const every = 1_000;
  const later = new Date(Date.parse(NOW) + 2 * every).toISOString();

  async function givenKey(name: string): Promise<string> {
    const { team } = await createTeam(openCommandHandler(stores.log), contextOf('team_any'), name);
    return hashOfKey(team.key);
  }

  /** Opens the keys on this log, and returns what the hashes find. Counts the events that are read. */
  async function found(hashes: readonly string[]) {
    let read = 0;
    const log: EventLog = {
      ...stores.log,
      async readAll(options) {
        const batch = await stores.log.readAll(options);
        if (options.filter !== undefined) read += batch.events.length;
        return batch;
      },
    };
    const report = (error: unknown) => expect.fail(String(error));
    const keys = await openApiKeys(log, { report, state: stores.state, clock: stores.clock });
    const teams = hashes.map((hash) => keys.known(hash)?.team_name);
    await keys.close();
    return { teams, read };
  }

  async function write(now = NOW): Promise<void> {
    const index = openKeyIndex();
    const { events, position } = await stores.log.readAll({ after: START, filter: { streams: ['team-'] } });
    for (const event of events) index.apply(event as never);
    await writeKeySnapshot(stores, { position, content: index.content() }, { now, every });
  }

  it('spares a start the events before it, and shows the same keys', async () => {
    const one = await givenKey('One');
    await givenRun(stores.log);
    await write();
    const two = await givenKey('Two');
    expect(await found([one, two])).to.deep.equal({ teams: ['One', 'Two'], read: 2 });
  });

  it('is left out where the log is another one, for example because it was restored from a backup', async () => {
    const one = await givenKey('One');
    await write();
    const entry = (await stores.state.get<{ event_id: string }>('api-keys', 'snapshot'))!;
    const wrong = { ...entry.value, event_id: 'another event' };
    await stores.state.put('api-keys', 'snapshot', wrong, { expected: 'any' });
    expect(await found([one])).to.deep.equal({ teams: ['One'], read: 2 });
    await stores.state.put(
      'api-keys',
      'snapshot',
      { ...entry.value, position: '9'.repeat(15).padStart(20, '0') },
      { expected: 'any' },
    );
    expect(await found([one])).to.deep.equal({ teams: ['One'], read: 2 });
  });

  it('holds any number of keys, in entries of a bounded size, and replaces those of the one before', async () => {
    await givenKey('One');
    const position = await stores.log.head();
    const teams = Array.from({ length: 4_500 }, (_, n) => [`team_${n}`, `Team ${n}`, n % 2] as const);
    const keys = teams.map(([team_id], n) => {
      return [
        `hash ${n}`,
        {
          key_id: `key_${n}`,
          name: 'CI',
          role: 'member',
          person_id: `person_${n}`,
          team_id,
          expires_at: null,
          project_ids: [`project_${n}`],
        },
      ] as const;
    });
    const persons = teams.map(([team_id], n) => [`person_${n}`, NOW, [[team_id, 'admin']]] as const);
    const content: KeyIndexContent = { teams, keys, persons };
    const none: KeyIndexContent = { teams: [], keys: [], persons: [] };
    await writeKeySnapshot(stores, { position, content }, { now: NOW, every });
    expect(await readKeySnapshot(stores)).to.deep.equal({ position, content });
    await writeKeySnapshot(stores, { position, content: none }, { now: later, every });
    expect(await readKeySnapshot(stores)).to.deep.equal({ position, content: none });
    expect(await stores.state.list('api-keys', { limit: 10 })).to.have.length(1);
  });

  it('is not written again while that of another process is new', async () => {
    await givenKey('One');
    await write();
    const first = await stores.state.get('api-keys', 'snapshot');
    await givenKey('Two');
    await write();
    expect(await stores.state.get('api-keys', 'snapshot')).to.deep.equal(first);
    await write(later);
    expect(await stores.state.get('api-keys', 'snapshot')).not.to.deep.equal(first);
  });
});
