import { idOf } from '../ids.js';
import { EARLIER, NOW, specification, type Happened } from '../given.js';
import type { RunEvent } from '../../../src/domain/events.js';
import { run, type RunStatus } from '../../../src/domain/runs/run.js';

const given = specification(run);
const ids = { run_id: idOf('run'), project_id: idOf('project') };

const created = happened({
  type: 'RunCreated',
  data: { ...ids, run_key: null, label: 'nightly', metadata: { branch: 'main' }, items: 0 },
});
const started = happened({ type: 'RunStarted', data: { ...ids, started_at: EARLIER } });
const pending = happened({ type: 'RunReturnedToPending', data: ids });
const completed = (completion: number, reason: 'requested' | 'idle' = 'requested') =>
  happened({
    type: 'RunCompleted',
    data: { ...ids, finished_at: EARLIER, completion, reason },
  });

const to = (status: RunStatus) => ({ type: 'UpdateRun', status, at: NOW }) as const;
const startedNow = { type: 'RunStarted', data: { ...ids, started_at: NOW } } as const;
const completedNow = (completion: number, reason: 'requested' | 'idle' = 'requested') =>
  ({ type: 'RunCompleted', data: { ...ids, finished_at: NOW, completion, reason } }) as const;

function happened(event: Happened<RunEvent>): Happened<RunEvent> {
  return event;
}

describe('a run', () => {
  describe('when it is created', () => {
    const create = { type: 'CreateRun', ...ids, label: 'nightly', metadata: { branch: 'main' } } as const;

    it('begins with the fields that were sent and without items', () =>
      given()
        .when(create)
        .happens({
          type: 'RunCreated',
          data: { ...ids, run_key: null, label: 'nightly', metadata: { branch: 'main' }, items: 0 },
        }));

    it('is pending, without instants', () =>
      given()
        .when(create)
        .changes({
          life: 'present',
          test_run_id: ids.run_id,
          project_id: ids.project_id,
          run_key: null,
          label: 'nightly',
          metadata: { branch: 'main' },
          status: 'Pending',
          started_at: null,
          finished_at: null,
          completions: 0,
          completed_by: null,
          items: 0,
          created_at: NOW,
          updated_at: NOW,
          calls: { sent: 0, finished_at: null, shards: null, named: [], arriving: false },
        }));

    it('is refused if it exists already', () => given(created).when(create).refused('write_conflict'));
  });

  describe('when it is submitted whole', () => {
    const submit = {
      type: 'SubmitRun',
      ...ids,
      label: null,
      metadata: null,
      items: 3,
      started_at: EARLIER,
      finished_at: NOW,
    } as const;
    const createdWhole = {
      type: 'RunCreated',
      data: { ...ids, run_key: null, label: null, metadata: null, items: 3 },
    } as const;

    it('is created, started and completed at once, with the number of its items', () =>
      given()
        .when(submit)
        .happens(
          createdWhole,
          { type: 'RunStarted', data: { ...ids, started_at: EARLIER } },
          completedNow(1),
        ));

    it('is not started if no start is sent', () =>
      given()
        .when({ ...submit, started_at: null })
        .happens(createdWhole, completedNow(1)));

    it('is refused if the run exists already', () => given(created).when(submit).refused('write_conflict'));
  });

  it('takes no command before it is created', () => {
    given().when(to('Running')).refused('not_found');
    given().when({ type: 'CompleteIdleRun', at: NOW }).refused('not_found');
  });

  describe('takes its statuses in any order:', () => {
    const histories = {
      Pending: [created],
      Running: [created, started],
      Completed: [created, started, completed(1)],
      'Pending again': [created, started, completed(1), pending],
      'Completed from Pending': [created, completed(1)],
      'Running again': [created, started, completed(1), started],
    };
    const outcomes = {
      Pending: { type: 'RunReturnedToPending', data: ids },
      Running: startedNow,
    } as const;

    for (const [name, history] of Object.entries(histories)) {
      const present = name.split(' ')[0];
      for (const status of ['Pending', 'Running'] as const) {
        if (present === status) {
          it(`${status} when it is ${name} changes nothing`, () =>
            given(...history)
              .when(to(status))
              .nothingHappens());
        } else {
          it(`${status} when it is ${name} is taken`, () =>
            given(...history)
              .when(to(status))
              .happens(outcomes[status]));
        }
      }

      it(`Completed when it is ${name} counts one more completion`, () => {
        const before = history.filter(({ type }) => type === 'RunCompleted').length;
        given(...history)
          .when(to('Completed'))
          .happens(completedNow(before + 1));
      });
    }
  });

  it('records its start, and clears an earlier end', () => {
    given(created).when(to('Running')).changes({ status: 'Running', started_at: NOW, updated_at: NOW });
    given(created, started, completed(1)).when(to('Running')).changes({
      status: 'Running',
      started_at: NOW,
      finished_at: null,
      completed_by: null,
      updated_at: NOW,
    });
  });

  it('keeps its first start when Running is sent again', () =>
    given(created, started).when(to('Running')).changes({}));

  it('records each end, and keeps its start', () => {
    given(created, started).when(to('Completed')).changes({
      status: 'Completed',
      finished_at: NOW,
      completions: 1,
      completed_by: 'requested',
      updated_at: NOW,
    });
    given(created, started, completed(1))
      .when(to('Completed'))
      .changes({ finished_at: NOW, completions: 2, updated_at: NOW });
  });

  it('keeps both instants when it returns to pending', () =>
    given(created, started, completed(1))
      .when(to('Pending'))
      .changes({ status: 'Pending', completed_by: null, updated_at: NOW }));

  describe('when it is described', () => {
    it('records only the fields that differ', () => {
      given(created)
        .when({ type: 'UpdateRun', label: 'weekly', metadata: { branch: 'main' }, at: NOW })
        .happens({ type: 'RunDescribed', data: { ...ids, label: 'weekly' } });
      given(created)
        .when({ type: 'UpdateRun', label: 'nightly', metadata: { branch: 'next' }, at: NOW })
        .happens({ type: 'RunDescribed', data: { ...ids, metadata: { branch: 'next' } } });
    });

    it('clears the fields that are set to null, once', () => {
      const clear = { type: 'UpdateRun', label: null, metadata: null, at: NOW } as const;
      given(created).when(clear).changes({ label: null, metadata: null, updated_at: NOW });
      given(created, { type: 'RunDescribed', data: { ...ids, label: null, metadata: null } })
        .when(clear)
        .nothingHappens();
    });

    it('replaces metadata as a whole', () =>
      given(created)
        .when({ type: 'UpdateRun', metadata: { commit: 'abc' }, at: NOW })
        .changes({ metadata: { commit: 'abc' }, updated_at: NOW }));

    it('records it before the change of status, both in one append', () => {
      given(created)
        .when({ ...to('Completed'), label: 'weekly' })
        .happens({ type: 'RunDescribed', data: { ...ids, label: 'weekly' } }, completedNow(1));
      given(created, started)
        .when({ ...to('Running'), label: 'weekly' })
        .happens({ type: 'RunDescribed', data: { ...ids, label: 'weekly' } });
    });
  });

  describe('that its client never ends', () => {
    const idle = { type: 'CompleteIdleRun', at: NOW } as const;

    it('is completed as idle while it is running, as one more completion', () => {
      given(created, started).when(idle).happens(completedNow(1, 'idle'));
      given(created, started, completed(1), started).when(idle).happens(completedNow(2, 'idle'));
    });

    it('counts as ended by nobody until a client, late, says that it is over', () => {
      given(created, started).when(idle).changes({
        status: 'Completed',
        finished_at: NOW,
        completions: 1,
        completed_by: 'idle',
        updated_at: NOW,
      });
      given(created, started, completed(1, 'idle')).when(to('Completed')).happens(completedNow(2));
    });

    it('is left alone if it is not running, or not any more', () => {
      given(created).when(idle).nothingHappens();
      given(created, started, completed(1)).when(idle).nothingHappens();
      given(created, started, pending).when(idle).nothingHappens();
    });
  });
});
