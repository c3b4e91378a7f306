/** When a run, a result or a test changed, from what the API says of it now. Each takes a bounded number of calls. */
import type { components } from '../../client/api.generated.js';
import type { Instant } from '../../domain/event.js';
import { testIdOf } from '../../domain/test-history/test.js';
import { orNull } from '../or-null.js';
import type { PageApi } from '../page-api.js';

export type Moment = { at: Instant; label: string };

type Api = Pick<PageApi, 'get'>;
type Schemas = components['schemas'];
type Entry = Schemas['HistoryEntry'];

const ENTRIES = 100;
/** More would be a list, which the history is. */
const MOST = 12;

export async function momentsOfRun(api: Api, run: string, known: readonly Known[]): Promise<Moment[]> {
  const params = { id: run };
  const [history, failed] = await Promise.all([
    api.get('/v1/test-runs/{id}/history', { params, query: { per_page: ENTRIES } }),
    api.get('/v1/test-runs/{id}/results', { params, query: { status: 'failed', per_page: 1 } }),
  ]);
  const [first] = failed.data;
  const ofFirst = first === undefined ? [] : await momentsOfResult(api, first.id, null);
  const failure = ofFirst.find(({ label }) => label === words['failed']);
  return inOrder([
    ...(failure === undefined ? [] : [{ ...failure, label: 'First failure' }]),
    ...ofFirst.filter(({ label }) => label.startsWith(CORRECTED)),
    ...history.data.flatMap(momentOfRun()),
    ...(await knownMoments(api, known)),
  ]);
}

/** Of the tests of these results. */
export type Known = Pick<Schemas['TestResult'], 'project_id' | 'name' | 'test_id'>;

const KNOWN_TESTS = 3;

async function knownMoments(api: Api, results: readonly Known[]): Promise<Moment[]> {
  const found = await Promise.all(
    results.slice(0, KNOWN_TESTS).map(({ project_id: id, name, test_id }) => {
      const test = test_id ?? testIdOf(id, name.toWellFormed());
      return orNull(api.get('/v1/projects/{id}/tests/{test}', { params: { id, test } }));
    }),
  );
  return found.flatMap((each) => knownMoment(each?.data ?? null));
}

/** `completed again`, and what runs of a shard again. */
function momentOfRun() {
  let completions = 0;
  return ({ type, at, text }: Entry): Moment[] => {
    switch (type) {
      case 'RunCompleted':
        completions += 1;
        return [{ at, label: completions === 1 ? 'Completed' : 'Completed again' }];
      case 'RunStarted':
        return completions > 0 ? [{ at, label: 'Rerun' }] : [];
      case 'ItemsSubmitted':
        return /, attempt \d/u.test(text) ? [{ at, label: 'Rerun of a shard' }] : [];
      default:
        return [];
    }
  };
}

const words: Readonly<Record<string, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  skipped: 'Skipped',
  known_fail: 'Failed as expected',
  running: 'Running',
  pending: 'Pending',
};
const CORRECTED = 'Corrected: ';

/** `test`: that of the result, with its known failure. */
export async function momentsOfResult(
  api: Api,
  result: string,
  test: Schemas['Test'] | null,
): Promise<Moment[]> {
  const params = { id: result };
  const history = await orNull(
    api.get('/v1/test-results/{id}/history', { params, query: { per_page: ENTRIES } }),
  );
  let isFinal = false;
  const moments = (history?.data ?? []).flatMap(({ at, changes }): Moment[] => {
    const status = changes.find(({ field }) => field === 'status')?.to as string | undefined;
    const isRerun = changes.some(({ field, to }) => field === 'superseded_by' && to !== null);
    const label = status === undefined ? undefined : (words[status] ?? status);
    const wasFinal = isFinal;
    isFinal ||= status !== undefined && status !== 'running' && status !== 'pending';
    return [
      ...(label === undefined
        ? []
        : [{ at, label: wasFinal ? `${CORRECTED}${label.toLowerCase()}` : label }]),
      ...(isRerun ? [{ at, label: 'Rerun' }] : []),
    ];
  });
  return inOrder([...moments, ...knownMoment(test)]);
}

const RESULTS = 30;
const TURNS = 4;

/** The turns in its newest results. */
export async function momentsOfTest(api: Api, test: Schemas['Test']): Promise<Moment[]> {
  const params = { id: test.project_id, test: test.id };
  const page = await orNull(
    api.get('/v1/projects/{id}/tests/{test}/history', { params, query: { per_page: RESULTS } }),
  );
  const results = (page?.data ?? []).toReversed();
  const turns = results.filter(({ status }, n) => {
    const before = results[n - 1]?.status;
    return status === 'failed' ? before !== 'failed' : status === 'passed' && before === 'failed';
  });
  const moments = await Promise.all(turns.slice(-TURNS).map((each) => turnOf(api, each)));
  return inOrder([...moments.flat(), ...knownMoment(test)]);
}

/** When its status was recorded: a result may have begun long before. */
async function turnOf(api: Api, { id, status }: Schemas['TestResult']): Promise<Moment[]> {
  const moments = await momentsOfResult(api, id, null);
  const word = (words[status] ?? status).toLowerCase();
  const recorded = moments.findLast(({ label }) => label.toLowerCase().endsWith(word));
  const label = status === 'failed' ? 'First failure' : 'Passed again';
  return recorded === undefined ? [] : [{ at: recorded.at, label }];
}

function knownMoment(test: Pick<Schemas['Test'], 'known_failure'> | null): Moment[] {
  const known = test?.known_failure ?? null;
  return known === null ? [] : [{ at: known.at, label: 'Known' }];
}

/** The newest of them, the first one first. */
function inOrder(moments: readonly Moment[]): Moment[] {
  const sorted = moments.toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return sorted
    .filter(({ at, label }, n) => sorted[n - 1]?.at !== at || sorted[n - 1]?.label !== label)
    .slice(-MOST);
}
