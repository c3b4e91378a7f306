import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { openAnswerBatches } from '../../src/http/answer-batches.js';

describe('answer batches', () => {
  /** Records the answers in the order in which they are sent. */
  function answering(): { answer(name: string): void; sent: string[] } {
    const batch = openAnswerBatches();
    const sent: string[] = [];
    return { sent, answer: (name) => void batch().then(() => sent.push(name)) };
  }

  it('sends an answer in the round of the event loop in which it is ready', async () => {
    const { answer, sent } = answering();
    answer('a');
    const endOfRound = setImmediate();
    await Promise.resolve();
    expect(sent).to.deep.equal([]);
    await endOfRound;
    expect(sent).to.deep.equal(['a']);
  });

  it('sends the answers of one round together, in their order', async () => {
    const { answer, sent } = answering();
    answer('a');
    await Promise.resolve();
    answer('b');
    expect(sent).to.deep.equal([]);
    await setImmediate();
    expect(sent).to.deep.equal(['a', 'b']);
  });

  it('does not let eight answers wait for the end of the round', async () => {
    const { answer, sent } = answering();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    names.forEach(answer);
    await Promise.resolve();
    expect(sent).to.deep.equal(names.slice(0, 8));
    await setImmediate();
    expect(sent).to.deep.equal(names);
  });

  it('goes on with new batches', async () => {
    const { answer, sent } = answering();
    answer('a');
    await setImmediate();
    answer('b');
    await setImmediate();
    expect(sent).to.deep.equal(['a', 'b']);
  });
});
