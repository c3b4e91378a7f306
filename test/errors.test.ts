import { expect } from 'chai';
import { AppError, reasonOf } from '../src/errors.js';
import { loggable } from '../src/logger.js';

describe('the reason of an error', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:2113');
  const read = new Error('a read of run-team_x.y', { cause: refused });
  const away = new AppError('log_unavailable', 'The event log does not answer.', { cause: read });
  const sentence =
    'The event log does not answer: a read of run-team_x.y: connect ECONNREFUSED 127.0.0.1:2113';

  it('is one sentence with the reasons of its causes', () => {
    expect(reasonOf(away)).to.equal(sentence);
  });

  it('is the message of the error in the log, too', () => {
    expect(loggable(away)).to.include({ message: sentence });
  });

  it('keeps the full stop of an error without a cause, and says no cause twice', () => {
    expect(reasonOf(new AppError('log_unavailable', 'The event log is closed.'))).to.equal(
      'The event log is closed.',
    );
    expect(reasonOf(new Error(`cannot start: ${refused.message}`, { cause: refused }))).to.equal(
      `cannot start: ${refused.message}`,
    );
  });
});
