import { expect } from 'chai';
import { openAuditRound } from '../../src/audit/rounds.js';
import { openTallies } from '../../src/audit/tallies.js';
import { createKey, firstStart, OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import { team } from '../../src/domain/teams/team.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { openApiKeys } from '../../src/keys/api-keys.js';
import { contextOf, embeddedStores } from '../stores.js';
import { auditOn, told } from './given.js';

describe('a key that expires', () => {
  const stores = embeddedStores('each test');
  const commands = () => openCommandHandler(stores.log);

  async function process() {
    const { audit, report } = auditOn(stores);
    const { state, clock, log } = stores;
    const keys = await openApiKeys(log, { report, state, clock });
    stores.beforeClose(() => keys.close());
    const tallies = openTallies({ audit, state, clock, report });
    const teamsOf = async () => [];
    return {
      keys,
      round: openAuditRound({ audit, tallies, state, clock, expired: keys.expired, teamsOf, report }),
    };
  }

  async function keyUntil(minutes: number) {
    const expires_at = new Date(stores.clock().getTime() + minutes * 60_000).toISOString();
    const wanted = { name: 'CI', role: 'member', maker: 'operator', expires_at } as const;
    return createKey(commands(), contextOf(OPERATOR_TEAM), wanted);
  }

  it('is told by the next round, once by all processes, after starts too', async () => {
    await firstStart(stores.log, commands(), stores.clock, null);
    const soon = await keyUntil(1);
    await keyUntil(60);
    const processes = [await process(), await process()];
    for (const { round } of processes) await round();
    expect(await told(stores)).to.deep.equal([]);
    stores.clock.forward(60_000);
    for (const { round } of processes) await round();
    for (const { round } of processes) await round();
    const started = await process();
    await started.round();
    expect(await told(stores)).to.deep.equal([`key_expired ${soon.key.id}`]);
    stores.clock.forward(3_600_000);
    await started.round();
    expect(await told(stores)).to.have.length(2);
  });

  it('is not told where it was revoked before', async () => {
    await firstStart(stores.log, commands(), stores.clock, null);
    const { key } = await keyUntil(1);
    const { keys, round } = await process();
    const revoke = { type: 'EndOwnKey', key_id: key.id } as const;
    const { appended } = await commands().execute(
      team,
      teamStream(OPERATOR_TEAM),
      contextOf(OPERATOR_TEAM),
      revoke,
    );
    await keys.reached(appended!.position);
    stores.clock.forward(60_000);
    await round();
    expect(await told(stores)).to.deep.equal([]);
  });
});
