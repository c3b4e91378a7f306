import { expect } from 'chai';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { createTeam, teamStream } from '../../src/commands/teams.js';
import { newIds } from '../../src/commands/ids.js';
import { START } from '../../src/domain/event.js';
import { team } from '../../src/domain/teams/team.js';
import { openApiKeys } from '../../src/keys/api-keys.js';
import { foldAtStart } from '../../src/roles/fold-at-start.js';
import { openKeyIndex } from '../../src/keys/key-index.js';
import { writeKeySnapshot } from '../../src/keys/key-snapshot.js';
import { contextOf, embeddedStores, NOW } from '../stores.js';

describe('the fold of teams at a start', () => {
  const stores = embeddedStores('each test');
  const report = (error: unknown) => expect.fail(String(error));

  /** A team that has made and revoked so many keys. */
  async function givenTeam(revoked: number): Promise<string> {
    const { team: made } = await createTeam(openCommandHandler(stores.log), contextOf('team_any'), 'Shop');
    const meta = { team_id: made.id, actor: 'key_1', at: NOW, correlation_id: 'request', causation_id: null };
    const id = newIds.created('key');
    const key = { key_id: id, name: 'CI', role: 'member', hash: 'a'.repeat(64), prefix: 'tl_abcde' } as const;
    const none = { expires_at: null, project_ids: null, person_id: null, created_by: null };
    const facts = [
      { type: 'KeyCreated', data: { ...key, ...none } },
      { type: 'KeyRevoked', data: { key_id: id } },
    ] as const;
    for (let left = revoked; left > 0; left -= 100) {
      const events = Array.from({ length: 100 }, () =>
        facts.map((fact) => ({ ...fact, id: crypto.randomUUID(), version: 1, meta })),
      ).flat();
      await stores.log.append(teamStream(made.id), 'any', events);
    }
    return made.id;
  }

  it('spares the first request for the keys of a team the history of the thousands that it has revoked', async () => {
    const [busy, other] = [await givenTeam(1_000), await givenTeam(100)];
    const index = openKeyIndex();
    for (let after = START, caughtUp = false; !caughtUp;) {
      const batch = await stores.log.readAll({ after, filter: { streams: ['team-'] } });
      for (const event of batch.events) index.apply(event as never);
      ({ position: after, caughtUp } = batch);
      if (caughtUp)
        await writeKeySnapshot(stores, { position: after, content: index.content() }, { now: NOW, every: 0 });
    }
    const keys = await openApiKeys(stores.log, { report, state: stores.state, clock: stores.clock });
    stores.beforeClose(() => keys.close());
    expect(keys.teamsThatRevoked(1_000)).to.deep.equal([busy]);
    let read = 0;
    const commands = openCommandHandler({
      ...stores.log,
      async readStream(stream, options) {
        const page = await stores.log.readStream(stream, options);
        read += page.events.length;
        return page;
      },
    });
    await foldAtStart(commands, keys, report);
    expect(read).to.be.greaterThan(2_000);
    read = 0;
    expect(await commands.load(team, teamStream(busy))).to.have.property('life', 'present');
    expect(read).to.equal(0);
    await commands.load(team, teamStream(other));
    expect(read).to.be.greaterThan(200);
  });
});
