/** Surface B: what needs somebody now, over all projects. */
import { addMilliseconds } from '../../clock.js';
import { openFailureQueries } from '../../queries/failure-queries.js';
import { openToday } from '../../queries/today.js';
import { ok, type Route } from '../route.js';
import type { Sources } from '../sources.js';

const DAY_MS = 86_400_000;
const NAMES = 20;

export function todayRoutes({ views, historyViews, comparisons, titles, log }: Sources): Route[] {
  const failures = openFailureQueries(historyViews, comparisons.baselineOf, titles);
  const today = openToday({ views, historyViews, log, failures });
  return [
    {
      method: 'GET',
      path: '/today',
      operation: {
        id: 'getToday',
        summary: 'Shows what needs somebody now, over all projects',
        answers: { 200: { data: 'Today' } },
      },
      role: 'viewer',
      query: 'TodayQuery',
      async handle({ key, query, context: { at: now }, waitFor }) {
        await waitFor('records', 'history');
        const since = addMilliseconds(now, -Number(query['days']) * DAY_MS);
        const who = String(query['who'] ?? '')
          .toLowerCase()
          .split(',', NAMES)
          .map((name) => name.trim())
          .filter((name) => name !== '');
        return ok({ data: await today({ reader: key, now, since, who }) });
      },
    },
  ];
}
