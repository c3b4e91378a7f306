import { expect } from 'chai';
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import { positionAt } from '../../../src/as-of/moment.js';
import { START, streamName } from '../../../src/domain/event.js';
import { newEvent, newTeam } from '../../contract/event-log/events.js';
import { inNewNamespace, sharedServer } from './test-url.js';

describe('the event log: EventStoreDB, a moment that it alone still has', () => {
  it('is the last event of the team at that instant', async () => {
    const log = await openEsdbLog({ url: inNewNamespace(sharedServer()), keep: 0 });
    try {
      const team = newTeam();
      const at = (minute: number) => `2026-01-01T00:${minute}:00.000Z`;
      const positions: string[] = [];
      for (let minute = 10; minute < 40; minute += 1) {
        const { meta, ...event } = newEvent();
        const stream = streamName('run', team, `run_${minute}`);
        const { position } = await log.append(stream, 'none', [
          { ...event, meta: { ...meta, at: at(minute) } },
        ]);
        positions.push(position);
      }
      expect(await positionAt(log, team, '2026-01-01T00:20:30.000Z')).to.equal(positions[10]);
      expect(await positionAt(log, team, at(39))).to.equal(positions[29]);
      expect(await positionAt(log, team, '2001-01-01T00:00:00.000Z')).to.equal(START);
    } finally {
      await log.close();
    }
  });
});
