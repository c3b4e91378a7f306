/** Events of a result, for the tests of its decider. */
import type { EventData, ResultEvent } from '../../../src/domain/events.js';
import { result, type ResultStatus } from '../../../src/domain/results/result.js';
import { EARLIER, specification, type Happened } from '../given.js';
import { idOf } from '../ids.js';

export const given = specification(result);

export const ids = { result_id: idOf('result'), project_id: idOf('project'), run_id: idOf('run') };

type Fact = Happened<ResultEvent>;

export const newResult = (data: Partial<EventData['ResultCreated']> = {}): EventData['ResultCreated'] => ({
  ...ids,
  test_name: 'adds up',
  status: 'Pending',
  started_at: null,
  metadata: null,
  attempt: 1,
  retry_of: null,
  run_branch: null,
  run_commit: null,
  ...data,
});

export const created = (data: Partial<EventData['ResultCreated']> = {}): Fact => ({
  type: 'ResultCreated',
  data: newResult(data),
});

export const turned = (previous_status: ResultStatus, status: ResultStatus) => ({
  ...ids,
  previous_status,
  status,
});

/** The same fields with the name of the test, for the events that carry it. */
export const turnedByName = (previous_status: ResultStatus, status: ResultStatus) => ({
  ...turned(previous_status, status),
  test_name: 'adds up',
});

export const started = (started_at = EARLIER): Fact => ({
  type: 'ResultStarted',
  data: { ...turned('Pending', 'Running'), started_at },
});

export const finished = (finished_at = EARLIER, execution_time_ms: number | null = 0): Fact => ({
  type: 'ResultFinished',
  data: { ...turnedByName('Running', 'Passed'), finished_at, execution_time_ms },
});

export const deleted: Fact = {
  type: 'ResultDeleted',
  data: { ...ids, status: 'Pending', retry_of: null },
};

export const voided: Fact = { type: 'ResultVoided', data: { result_id: ids.result_id } };

export const claimed = (n: number, at = EARLIER): Fact => ({
  type: 'ResultRetryClaimed',
  data: { ...ids, retry_id: idOf('result', n) },
  at,
});
