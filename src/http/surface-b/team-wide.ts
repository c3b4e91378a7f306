/** Surface B: what looks over all projects: what needs somebody now, and the search. */
import { addDays } from '../../clock.js';
import { openCauses } from '../../queries/causes/causes.js';
import { openFailureQueries } from '../../queries/failure-queries.js';
import { openSearch } from '../../queries/search.js';
import { openToday } from '../../queries/today.js';
import { searchPoints } from '../backpressure/request-cost.js';
import { ok, type Route } from '../route.js';
import type { Sources } from '../sources.js';

const NAMES = 20;

export function teamWideRoutes({ views, historyViews, comparisons, titles, log }: Sources): Route[] {
  const failures = openFailureQueries(historyViews, comparisons.baselineOf, titles);
  const causes = openCauses(historyViews);
  const today = openToday({ views, historyViews, log, failures, causes });
  const search = openSearch({ views, historyViews, titles });
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
        const since = addDays(now, -Number(query['days']));
        const who = String(query['who'] ?? '')
          .toLowerCase()
          .split(',', NAMES)
          .map((name) => name.trim())
          .filter((name) => name !== '');
        return ok({ data: await today({ reader: key, now, since, who }) });
      },
    },
    {
      method: 'GET',
      path: '/search',
      operation: {
        id: 'search',
        summary: 'Looks for words in the names of projects, runs, tests and causes of failures',
        answers: { 200: { data: 'Found' } },
      },
      role: 'viewer',
      query: 'SearchQuery',
      async handle({ key, query, context: { at }, rate, waitFor }) {
        await waitFor('records', 'history');
        const { found, searched } = await search(key, String(query['q']).trim(), at);
        rate.charge(searchPoints(searched));
        return ok({ data: found });
      },
    },
  ];
}
