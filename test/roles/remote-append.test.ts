import { expect } from 'chai';
import { answerAppend, remoteAppends, type AppendAnswer } from '../../src/roles/remote-append.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { fail, isAppError } from '../../src/errors.js';
import { newEvents } from '../contract/event-log/events.js';

describe('appends from another thread', () => {
  /** Both ends. Messages are copied, as between threads. */
  function ends(append: EventLog['append']) {
    const answers: AppendAnswer[] = [];
    const remote = remoteAppends((request) => {
      void answerAppend({ append }, structuredClone(request)).then((answer) =>
        answers.push(structuredClone(answer)),
      );
    });
    return { remote, answers };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('get each its own answer, in whatever order the answers come', async () => {
    const { remote, answers } = ends(async (stream) => ({
      revision: Number(stream.at(-1)),
      position: stream,
    }));
    const both = Promise.all([remote.append('test-1', 'none', []), remote.append('test-2', 0, [])]);
    await settled();
    for (const answer of answers.toReversed()) remote.answered(answer);
    expect(await both).to.deep.equal([
      { revision: 1, position: 'test-1' },
      { revision: 2, position: 'test-2' },
    ]);
  });

  it('carry the stream, the expected revision and the events unchanged', async () => {
    const seen: unknown[] = [];
    const { remote, answers } = ends(async (...all) => {
      seen.push(all);
      return { revision: 0, position: '' };
    });
    const events = newEvents(2);
    const appended = remote.append('test-team_1.test_1', 3, events);
    await settled();
    remote.answered(answers[0]!);
    await appended;
    expect(seen).to.deep.equal([['test-team_1.test_1', 3, events]]);
  });

  it('fail with the same code, detail and retry time', async () => {
    const { remote, answers } = ends(async () =>
      fail('log_unavailable', 'The disk is full.', { retryAfter: 7 }),
    );
    const failed = remote.append('test-1', 'none', []).catch((error: unknown) => error);
    await settled();
    remote.answered(answers[0]!);
    const error = await failed;
    expect(isAppError(error, 'log_unavailable')).to.equal(true);
    expect(error).to.include({ message: 'The disk is full.', retryAfter: 7 });
  });
});
