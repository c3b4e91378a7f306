/** Results that say a text which must be in the store of contents only. */
import { expect } from 'chai';
import type { Api } from '../kit/client.js';
import { givenResult, givenSubmission } from './given.js';

export const CANARY = 'canary-4711';
const error = { type: 'CanaryError', message: `${CANARY} declined`, stack: `at pay (${CANARY}.ts:1:2)` };
export const metadata = { browser: CANARY, file: 'pay.test.ts', error, worker: 7, owner: 'ada' };

/** A result that was posted, one that was changed, and two of a submission. */
export async function givenEveryKind(api: Api, project: string) {
  const posted = await givenResult(api, project, { status: 'Failed', metadata });
  const changed = await givenResult(api, project, { status: 'Running' });
  const path = `/v1/test/result/${changed.test_result_id}`;
  const finished = await api.post(path, { status: 'Failed', error_message: CANARY, metadata });
  expect(finished.status).to.equal(200);
  const item = { name: 'pays', status: 'failed', error_message: `${CANARY} declined`, metadata };
  const { run, results } = await givenSubmission(api, project, [item, { ...item, name: 'pays twice' }]);
  return { posted: posted.test_result_id, changed: changed.test_result_id, run, submitted: results[0]! };
}
