/** The table of pages that a link to a run shows: pages of its team, for a reader who sees this run alone. */
import type { PageReply, PageRequest } from '../page.js';
import { leadToFile } from '../pages/result/file.js';
import { showSharedResult } from '../pages/result/result.js';
import { showCause, showFailures } from '../pages/run/failures.js';
import { showResults } from '../pages/run/results.js';
import type { RunRequest } from '../pages/run/run-request.js';
import { showSharedRun } from '../pages/run/run.js';
import { SHARED_BASE } from './links.js';

export type SharedRequest = RunRequest & Pick<PageRequest, 'files'>;

export type SharedPage = {
  path: `${typeof SHARED_BASE}/:token${string}`;
  handle(request: SharedRequest): Promise<PageReply>;
};

export const sharedPages: readonly SharedPage[] = [
  { path: `${SHARED_BASE}/:token`, handle: showSharedRun },
  { path: `${SHARED_BASE}/:token/results`, handle: showResults },
  { path: `${SHARED_BASE}/:token/failures`, handle: showFailures },
  { path: `${SHARED_BASE}/:token/failures/:group`, handle: showCause },
  { path: `${SHARED_BASE}/:token/results/:result`, handle: showSharedResult },
  { path: `${SHARED_BASE}/:token/results/:result/artifacts/:artifact`, handle: showFile },
];

async function showFile(request: SharedRequest): Promise<PageReply> {
  await request.api.get('/v1/test/artifact/', { query: { test_result_id: request.params['result']! } });
  return leadToFile(request);
}
