import { resultStatuses } from '../../../src/domain/results/result.js';
import { NOW } from '../given.js';
import { idOf } from '../ids.js';
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
} from './facts.js';

/** One second before NOW. */
const BEFORE = '2026-11-21T11:59:59.000Z';

describe('a result', () => {
  describe('when it is created', () => {
    const data = newResult({ status: 'Passed', started_at: BEFORE, metadata: { a: 1 }, attempt: 3 });
    const create = { type: 'CreateResult', at: NOW, data } as const;

    it('records all sent fields', () => given().when(create).happens({ type: 'ResultCreated', data }));

    it('has the fields that were sent, and is not finished and not retried', () =>
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

    it('is refused under the id of a result that exists, is deleted or is void', () => {
      given(created()).when(create).refused('write_conflict');
      given(created(), deleted).when(create).refused('write_conflict');
      given(voided).when(create).refused('write_conflict');
    });
  });

  for (const [name, history] of [
    ['does not exist', []],
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

    it('changes Pending to Running, and leaves every other status', () => {
      for (const status of resultStatuses) {
        const next = status === 'Pending' ? 'Running' : status;
        given(created({ status }))
          .when(start)
          .happens({ type: 'ResultStarted', data: { ...turned(status, next), started_at: NOW } });
      }
    });

    it('clears the end and the execution time', () =>
      given(created(), started(), finished())
        .when(start)
        .changes({ started_at: NOW, finished_at: null, execution_time_ms: null, updated_at: NOW }));

    it('starts again each time', () =>
      given(created(), started()).when(start).changes({ started_at: NOW, updated_at: NOW }));
  });

  describe('when it is finished', () => {
    const finish = { type: 'FinishResult', at: NOW } as const;

    it('records the end and the execution time, and keeps its status if none is sent', () => {
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

    it('records of these only the fields that differ', () =>
      given(created({ metadata: { a: 1 } }), started(BEFORE))
        .when({ ...finish, error_message: null, metadata: { a: 1 } })
        .happens({
          type: 'ResultFinished',
          data: { ...turnedByName('Running', 'Running'), finished_at: NOW, execution_time_ms: 1_000 },
        }));

    it('finishes again each time', () =>
      given(created(), started(BEFORE), finished(BEFORE))
        .when(finish)
        .changes({ finished_at: NOW, execution_time_ms: 1_000, updated_at: NOW }));
  });

  describe('when it is updated', () => {
    const update = (changes: object) => ({ type: 'UpdateResult', at: NOW, changes }) as const;

    it('records only the fields that differ', () =>
      given(created({ metadata: { a: 1 } }))
        .when(update({ status: 'Pending', error_message: 'no', metadata: { a: 1 } }))
        .happens({
          type: 'ResultUpdated',
          data: { ...turnedByName('Pending', 'Pending'), error_message: 'no' },
        }));

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

    it('clears the fields that are set to null', () => {
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

    it('does not compute the execution time: that is up to the client', () =>
      given(created(), started(), finished(BEFORE, 5))
        .when(update({ finished_at: NOW }))
        .changes({ finished_at: NOW, updated_at: NOW }));
  });

  describe('when it is deleted', () => {
    it('records its last status and the result that it had retried, so that both can be counted again', () =>
      given(created({ retry_of: idOf('result', 9), attempt: 2 }), started())
        .when({ type: 'DeleteResult' })
        .happens({
          type: 'ResultDeleted',
          data: { ...ids, status: 'Running', retry_of: idOf('result', 9) },
        }));

    it('is not found by a second deletion', () =>
      given(created(), deleted).when({ type: 'DeleteResult' }).refused('not_found'));
  });
});
