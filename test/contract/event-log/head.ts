import { expect } from 'chai';
import { START, streamName } from '../../../src/domain/event.js';
import type { Subject } from './subject.js';
import { newEvents, newTeam } from './events.js';

export function headContract(subject: Subject): void {
  describe('the head', () => {
    it('is the position of the newest event, right after its append', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { position } = await subject.log.append(
          streamName('run', newTeam(), 'x'),
          'none',
          newEvents(2),
        );
        expect(await subject.log.head()).to.equal(position);
      }
    });

    it('is START for a team without events', async () => {
      expect(await subject.log.head(newTeam())).to.equal(START);
    });

    it('of a team is a position up to `since`, when the team has no event after it', async () => {
      const team = newTeam();
      const own = await subject.log.append(streamName('run', team, 'x'), 'none', newEvents(2));
      const other = await subject.log.append(streamName('run', newTeam(), 'x'), 'none', newEvents(1));
      for (const since of [own.position, other.position]) {
        expect((await subject.log.head(team, since)) <= since).to.equal(true);
      }
      expect((await subject.log.head(newTeam(), other.position)) <= other.position).to.equal(true);
      expect(await subject.log.head(team)).to.equal(own.position);
    });

    it('of a team is its newest event, when that is after `since`', async () => {
      const team = newTeam();
      const { position: since } = await subject.log.append(
        streamName('run', newTeam(), 'x'),
        'none',
        newEvents(1),
      );
      expect(await subject.log.head(team)).to.equal(START);
      const first = await subject.log.append(streamName('run', team, 'x'), 'none', newEvents(2));
      expect(await subject.log.head(team, since)).to.equal(first.position);
      await subject.log.append(streamName('run', newTeam(), 'x'), 'none', newEvents(1));
      expect(await subject.log.head(team, START)).to.equal(first.position);
      const second = await subject.log.append(streamName('team', team, 'x'), 'none', newEvents(1));
      expect(await subject.log.head(team, first.position)).to.equal(second.position);
    });

    it('of a team is right after a restart too, with any `since`', async () => {
      const team = newTeam();
      const { position: since } = await subject.log.append(
        streamName('run', newTeam(), 'x'),
        'none',
        newEvents(1),
      );
      const own = await subject.log.append(streamName('run', team, 'x'), 'none', newEvents(2));
      const other = await subject.log.append(streamName('run', newTeam(), 'x'), 'none', newEvents(1));
      await subject.reopen();
      expect((await subject.log.head(team, other.position)) <= other.position).to.equal(true);
      expect(await subject.log.head(team, since)).to.equal(own.position);
      expect(await subject.log.head(team)).to.equal(own.position);
      expect(await subject.log.head()).to.equal(other.position);
    });

    it('of a team is its own newest event, of any category', async () => {
      const team = newTeam();
      for (const category of ['team', 'result', 'items', 'run'] as const) {
        const { position } = await subject.log.append(streamName(category, team, 'x'), 'none', newEvents(1));
        await subject.log.append(streamName('run', `${team}2`, category), 'none', newEvents(1));
        expect(await subject.log.head(team)).to.equal(position);
      }
    });
  });
}
