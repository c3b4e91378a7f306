import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openTurns } from '../../src/concurrency/turns.js';

describe('turns on a thread', () => {
  it('run at most one step in each round of the event loop, and the groups in rotation', async () => {
    const turns = openTurns();
    const steps: { group: string; round: number }[] = [];
    let round = 0;
    let working = 3 + 3;
    const work = async (group: string) => {
      for (let n = 0; n < 4; n += 1) {
        await turns.next(group);
        steps.push({ group, round });
      }
      working -= 1;
    };
    const works = ['busy', 'busy', 'busy', 'busy', 'quiet', 'other'].map(work);
    for (; working > 0; round += 1) await setImmediate();
    await Promise.all(works);
    const rounds = steps.map((step) => step.round);
    expect(new Set(rounds).size).to.equal(steps.length);
    const groups = steps.map(({ group }) => group);
    expect(groups.slice(0, 12).join(' ')).to.equal(Array(4).fill('busy quiet other').join(' '));
    expect(groups.slice(12)).to.deep.equal(Array(12).fill('busy'));
  });

  it('come after other work of the thread, and still come while it has no end', async () => {
    const turns = openTurns();
    let busyRounds = 0;
    let busy = true;
    const others = async () => {
      for (; busy; busyRounds += 1) {
        for (const end = performance.now() + 1; performance.now() < end;);
        await setImmediate();
      }
    };
    const working = others();
    for (let n = 0; n < 5; n += 1) await turns.next('one');
    const rounds = busyRounds;
    busy = false;
    await working;
    expect(rounds).to.be.above(2 * 5);
  });

  it('go on after all work was done', async () => {
    const turns = openTurns();
    for (let n = 0; n < 3; n += 1) {
      await turns.next('one');
      for (let pause = 0; pause < 3; pause += 1) await setImmediate();
    }
  });
});
