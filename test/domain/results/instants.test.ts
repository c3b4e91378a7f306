import { NOW } from '../given.js';
import { created, finished, given, newResult, started, turnedByName } from './facts.js';

const LONGEST = 2 ** 31 - 1;

/** The instant this number of milliseconds after NOW. */
function after(milliseconds: number): string {
  return new Date(Date.parse(NOW) + milliseconds).toISOString();
}

const DAY = 86_400_000;

describe('the instants of a result', () => {
  const create = (started_at: string | null) =>
    ({ type: 'CreateResult', at: NOW, data: newResult({ started_at }) }) as const;
  const update = (changes: {
    started_at?: string | null;
    finished_at?: string | null;
    status?: 'Passed' | 'Failed';
  }) => ({ type: 'UpdateResult', at: NOW, changes }) as const;

  it('may have a start up to a day ahead, to the millisecond', () => {
    given()
      .when(create(after(DAY)))
      .happens({ type: 'ResultCreated', data: newResult({ started_at: after(DAY) }) });
    given()
      .when(create(after(DAY + 1)))
      .refused('validation_failed', '/started_at too_late');
    given(created())
      .when(update({ started_at: after(DAY) }))
      .changes({ started_at: after(DAY), updated_at: NOW });
    given(created())
      .when(update({ started_at: after(DAY + 1) }))
      .refused('validation_failed', '/started_at too_late');
  });

  it('may lie any time back', () =>
    given(created())
      .when(update({ started_at: '0001-01-01T00:00:00.000Z' }))
      .changes({ started_at: '0001-01-01T00:00:00.000Z', updated_at: NOW }));

  it('may be equal, but the end is never before the start', () => {
    given(created())
      .when(update({ started_at: NOW, finished_at: NOW }))
      .changes({ started_at: NOW, finished_at: NOW, updated_at: NOW });
    given(created())
      .when(update({ started_at: NOW, finished_at: after(-1) }))
      .refused('validation_failed', '/finished_at out_of_order');
  });

  it('are checked against the stored one, and the refusal names the one that was sent', () => {
    given(created(), started(NOW))
      .when(update({ finished_at: after(-1) }))
      .refused('validation_failed', '/finished_at out_of_order');
    given(created(), started(after(-10)), finished(after(-5)))
      .when(update({ started_at: after(-4) }))
      .refused('validation_failed', '/started_at out_of_order');
    given(created(), started(after(-10)), finished(after(-5)))
      .when(update({ started_at: after(-4), finished_at: null }))
      .changes({ started_at: after(-4), finished_at: null, updated_at: NOW });
  });

  it('may be sent back unchanged if a fast clock made the start later than the end', () =>
    given(created({ started_at: after(1) }), finished(NOW, null))
      .when(update({ started_at: after(1) }))
      .nothingHappens());

  it('do not block other changes if they were accepted before', () =>
    given(created({ started_at: after(2 * DAY) }))
      .when(update({ status: 'Passed' }))
      .changes({ status: 'Passed', updated_at: NOW }));

  it('may be sent back unchanged in the wrong order', () => {
    // The start is from a fast clock, the end from the clock of the server.
    const history = [created({ started_at: after(10) }), finished(NOW, null)];
    const same = { started_at: after(10), finished_at: NOW };
    given(...history)
      .when(update(same))
      .nothingHappens();
    given(...history)
      .when(update({ ...same, status: 'Failed' }))
      .changes({ status: 'Failed', updated_at: NOW });
    given(...history)
      .when(update({ ...same, started_at: after(9) }))
      .refused('validation_failed', '/started_at out_of_order');
  });

  describe('give the execution time of a finished result:', () => {
    const took = (started_at: string | null, execution_time_ms: number | null) =>
      given(created({ started_at }))
        .when({ type: 'FinishResult', at: NOW })
        .happens({
          type: 'ResultFinished',
          data: { ...turnedByName('Pending', 'Pending'), finished_at: NOW, execution_time_ms },
        });

    it('whole milliseconds, also 0', () => {
      took(after(-1), 1);
      took(NOW, 0);
    });

    it('null if it was never started', () => took(null, null));

    it('null if the span does not fit', () => {
      took(after(-LONGEST), LONGEST);
      took(after(-LONGEST - 1), null);
    });

    it('null if it starts in the future', () => took(after(1), null));
  });
});
