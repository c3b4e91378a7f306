import { expect } from 'chai';
import * as fc from 'fast-check';
import { teamHeads } from '../../../src/adapters/eventstoredb/team-heads.js';

const at = (position: number): string => String(position).padStart(20, '0');

describe('the heads of teams that the EventStoreDB log knows', () => {
  it('are the newest events of the teams, and START for teams that wrote nothing since the start', () => {
    const heads = teamHeads(at(100));
    heads.saw('team_1', at(101));
    heads.saw('team_2', at(102));
    heads.saw('team_1', at(103));
    expect(heads.of('team_1').newest).to.equal(at(103));
    expect(heads.of('team_2').newest).to.equal(at(102));
    expect(heads.of('team_3')).to.deep.equal({ newest: null, since: at(100) });
  });

  it('keep what was found out about older events', () => {
    const heads = teamHeads(at(100));
    heads.learn('team_1', { newest: at(7), since: at(5) });
    heads.learn('team_2', { newest: null, since: at(50) });
    heads.learn('team_2', { newest: null, since: at(60) });
    expect(heads.of('team_1').newest).to.equal(at(7));
    expect(heads.of('team_2')).to.deep.equal({ newest: null, since: at(50) });
    heads.saw('team_2', at(101));
    expect(heads.of('team_2').newest).to.equal(at(101));
  });

  it('never claim too little about a team that was dropped, however few teams are kept', () => {
    const step = fc.record({
      team: fc.nat({ max: 5 }),
      what: fc.constantFrom('write', 'look back', 'look back a little'),
    });
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 5 }), { maxLength: 20 }),
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (before, steps, most) => {
          const log: number[] = [...before];
          const newest = (team: number, after: number) => {
            const index = log.lastIndexOf(team);
            return index < after ? null : at(index + 1);
          };
          const heads = teamHeads(at(log.length), most);
          for (const { team, what } of steps) {
            const name = `team_${team}`;
            if (what === 'write') {
              log.push(team);
              heads.saw(name, at(log.length));
            } else if (heads.of(name).newest === null) {
              const from = what === 'look back' ? 0 : Math.floor(Number(heads.of(name).since) / 2);
              heads.learn(name, { newest: newest(team, from), since: at(from) });
            }
            for (let each = 0; each <= 5; each += 1) {
              const head = heads.of(`team_${each}`);
              if (head.newest !== null) expect(head.newest).to.equal(newest(each, 0));
              else expect(newest(each, Number(head.since))).to.equal(null);
            }
          }
        },
      ),
    );
  });
});
