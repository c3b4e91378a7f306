import type { AboutFailure } from '../../../src/domain/messages/about.js';

/** What the message of a new failure is about. */
export function failureIn(project_id: string): AboutFailure {
  return {
    kind: 'result',
    result_id: 'result_1',
    run_id: null,
    project_id,
    counts: null,
    place: { branch: null, environment: '' },
    owner: null,
    known: false,
    new: true,
    group: null,
  };
}
