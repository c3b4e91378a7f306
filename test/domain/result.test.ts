import { resultStatuses } from '../../src/domain/result.js';
import { NOW } from './given.js';
import { idOf } from './ids.js';
import {
  created,
  deleted,
  finished,
  given,
  ids,
  newResult,
  started,
  turned,
  turnedByName,
  voided,
} from './result.facts.js';

/** One second before NOW. */
const BEFORE = '2026-11-21T11:59:59.000Z';

describe('a result', () => {
  describe('when it is created', () => {
    const data = newResult({ status: 'Passed', started_at: BEFORE, metadata: { a: 1 }, attempt: 3 });
    const create = { type: 'CreateResult', at: NOW, data } as const;

    it('records all that was sent', () => given().when(create).happens({ type: 'ResultCreated', data }));

    it('is as it was sent, not finished and not retried', () =>
      given()
        .when(create)
        .changes({
          life: 'present',
          claim: null,
          test_result_id: ids.result_id,
          project_id: ids.project_id,
          test_run_id: ids.run_id,
          test_name: 'adds up',
          status: 'Passed',
          error_message: null,
          metadata: { a: 1 },
          started_at: BEFORE,
          finished_at: null,
          execution_time_ms: null,
          attempt: 3,
          retry_of: null,
          created_at: NOW,
          updated_at: NOW,
        }));

    for (const status of resultStatuses) {
      it(`may be ${status} at once`, () => {
        const data = newResult({ status });
        given().when({ type: 'CreateResult', at: NOW, data }).happens({ type: 'ResultCreated', data });
      });
    }

    it('is refused under an id that is, was, or never will be a result', () => {
      given(created()).when(create).refused('write_conflict');
      given(created(), deleted).when(create).refused('write_conflict');
      given(voided).when(create).refused('write_conflict');
    });
  });

  for (const [name, history] of [
    ['is not there', []],
    ['was deleted', [created(), deleted]],
    ['was given up before it was recorded', [voided]],
  ] as const) {
    it(`that ${name} takes no command`, () => {
      given(...history)
        .when({ type: 'StartResult', at: NOW })
        .refused('not_found');
      given(...history)
        .when({ type: 'FinishResult', at: NOW, status: 'Passed' })
        .refused('not_found');
      given(...history)
        .when({ type: 'UpdateResult', at: NOW, changes: { status: 'Passed' } })
        .refused('not_found');
      given(...history)
        .when({ type: 'DeleteResult' })
        .refused('not_found');
      given(...history)
        .when({ type: 'ClaimRetry', retry_id: idOf('result', 2), lapsed: null })
        .refused('not_found');
    });
  }

  describe('when it is started', () => {
    const start = { type: 'StartResult', at: NOW } as const;

    it('turns Pending into Running, and leaves every other status', () => {
      for (const status of resultStatuses) {
        const next = status === 'Pending' ? 'Running' : status;
        given(created({ status }))
          .when(start)
          .happens({ type: 'ResultStarted', data: { ...turned(status, next), started_at: NOW } });
      }
    });

    it('forgets when it was finished and how long it took', () =>
      given(created(), started(), finished())
        .when(start)
        .changes({ started_at: NOW, finished_at: null, execution_time_ms: null, updated_at: NOW }));

    it('starts anew each time', () =>
      given(created(), started()).when(start).changes({ started_at: NOW, updated_at: NOW }));
  });

  describe('when it is finished', () => {
    const finish = { type: 'FinishResult', at: NOW } as const;

    it('records its end and how long it took, and keeps its status where none is sent', () => {
      given(created({ status: 'Failed', started_at: BEFORE }))
        .when(finish)
        .happens({
          type: 'ResultFinished',
          data: { ...turnedByName('Failed', 'Failed'), finished_at: NOW, execution_time_ms: 1_000 },
        });
    });

    it('applies the status, the error message and the metadata that are sent', () =>
      given(created(), started(BEFORE))
        .when({ ...finish, status: 'Failed', error_message: 'no', metadata: { a: 1 } })
        .changes({
          status: 'Failed',
          error_message: 'no',
          metadata: { a: 1 },
          finished_at: NOW,
          execution_time_ms: 1_000,
          updated_at: NOW,
        }));

    it('records of these only what is different', () =>
      given(created({ metadata: { a: 1 } }), started(BEFORE))
        .when({ ...finish, error_message: null, metadata: { a: 1 } })
        .happens({
          type: 'ResultFinished',
          data: { ...turnedByName('Running', 'Running'), finished_at: NOW, execution_time_ms: 1_000 },
        }));

    it('finishes anew each time', () =>
      given(created(), started(BEFORE), finished(BEFORE))
        .when(finish)
        .changes({ finished_at: NOW, execution_time_ms: 1_000, updated_at: NOW }));
  });

  describe('when it is updated', () => {
    const update = (changes: object) => ({ type: 'UpdateResult', at: NOW, changes }) as const;

    it('records only what is different', () =>
      given(created({ metadata: { a: 1 } }))
        .when(update({ status: 'Pending', error_message: 'no', metadata: { a: 1 } }))
        .happens({
          type: 'ResultUpdated',
          data: { ...turnedByName('Pending', 'Pending'), error_message: 'no' },
        }));

    it('records nothing where nothing is different', () => {
      const history = [created({ metadata: { a: [{ b: 1 }] } }), started(BEFORE), finished(BEFORE, 0)];
      const same = {
        status: 'Passed',
        error_message: null,
        metadata: { a: [{ b: 1 }] },
        started_at: BEFORE,
        finished_at: BEFORE,
        execution_time_ms: 0,
      };
      given(...history)
        .when(update(same))
        .nothingHappens();
      given(...history)
        .when(update({}))
        .nothingHappens();
    });

    it('sets each field by itself, and leaves the others', () => {
      const fields = {
        status: 'KnownFail',
        error_message: 'no',
        metadata: { b: 2 },
        started_at: BEFORE,
        finished_at: NOW,
        execution_time_ms: 7,
      };
      for (const [name, value] of Object.entries(fields)) {
        given(created({ metadata: { a: 1 } }))
          .when(update({ [name]: value }))
          .changes({ [name]: value, updated_at: NOW });
      }
    });

    it('forgets what is set to null', () => {
      const cleared = {
        error_message: null,
        metadata: null,
        started_at: null,
        finished_at: null,
        execution_time_ms: null,
      };
      const described = { ...turnedByName('Passed', 'Passed'), error_message: 'no', metadata: { a: 1 } };
      given(created(), started(), finished(), { type: 'ResultUpdated', data: described })
        .when(update(cleared))
        .changes({ ...cleared, updated_at: NOW });
    });

    it('leaves how long it took to whoever sends it', () =>
      given(created(), started(), finished(BEFORE, 5))
        .when(update({ finished_at: NOW }))
        .changes({ finished_at: NOW, updated_at: NOW }));
  });

  describe('when it is deleted', () => {
    it('tells its last status and what it had retried, so that both can be counted anew', () =>
      given(created({ retry_of: idOf('result', 9), attempt: 2 }), started())
        .when({ type: 'DeleteResult' })
        .happens({
          type: 'ResultDeleted',
          data: { ...ids, status: 'Running', retry_of: idOf('result', 9) },
        }));

    it('is gone for good', () =>
      given(created(), deleted).when({ type: 'DeleteResult' }).refused('not_found'));
  });
});
