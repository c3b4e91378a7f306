/** Surface B: the history of one run or result. */
import type { Admission } from '../../admission/admission.js';
import { atLeast } from '../../domain/teams/team.js';
import { openHistories, type Histories } from '../../queries/histories.js';
import { replayPagePoints } from '../backpressure/request-cost.js';
import { ok, type Call, type Reply, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { paged, requestedPage } from './pages.js';

/** Each reads a whole stream, so that they are admitted as pages of the replay are. */
export function historyRoutes({ actors, log, historyViews, deliveries, admission }: Sources): Route[] {
  const histories = openHistories({ actors, log, views: historyViews, deliveries });
  return [
    {
      method: 'GET',
      path: '/test-runs/:id/history',
      operation: {
        id: 'getTestRunHistory',
        summary: 'Lists the events of a run, oldest first',
        answers: { 200: { page: 'HistoryEntry' } },
        errors: ['too_many_replays'],
      },
      role: 'viewer',
      reporter: true,
      query: 'PageQuery',
      handle: (call) => answer(call, histories.ofRun, admission),
    },
    {
      method: 'GET',
      path: '/test-results/:id/history',
      operation: {
        id: 'getTestResultHistory',
        summary: 'Lists the events of a result, oldest first',
        answers: { 200: { page: 'HistoryEntry' } },
        errors: ['too_many_replays'],
      },
      role: 'viewer',
      reporter: true,
      query: 'PageQuery',
      handle: (call) => answer(call, histories.ofResult, admission),
    },
  ];
}

async function answer(call: Call, read: Histories['ofRun'], admission: Admission): Promise<Reply> {
  const { key, params, rate } = call;
  const page = requestedPage(call);
  return admission.run('histories', { team: key.team_id, key: key.key_id }, async () => {
    // Many histories may have been let in before the first of them was charged.
    rate.check();
    const { offset, per_page: limit } = page;
    const options = { offset, limit, withDeliveries: atLeast(key.role, 'admin') && key.project_ids === null };
    const { items, total, work } = await read(key, params['id']!, options);
    rate.charge(replayPagePoints(work));
    return { ...ok(paged(items, total, page)), charged: true };
  });
}
