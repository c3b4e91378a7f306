/**
 * The API as the reader of a link has it: narrowed to one run. Whatever is not named here does not exist for them, and of other
 * runs they get counts, marks and instants alone. So no page can show more, whatever it asks for.
 */
import type { components } from '../../client/api.generated.js';
import { notFound } from '../../domain/life.js';
import type { RunLink } from '../../sharing/run-links.js';
import type { Given, PageApi } from '../page-api.js';

type Schemas = components['schemas'];
type Result = Schemas['TestResult'];
type Group = Schemas['RunFailureGroup'];
type Moment = Schemas['Moment'];
type Answer<T> = { data: T };

export type LinkApi = Pick<PageApi, 'get' | 'lag'>;

export function apiOfLink(
  api: LinkApi,
  { run_id, project_id }: Pick<RunLink, 'run_id' | 'project_id'>,
): LinkApi {
  const mustBe = (own: string, { params }: Given, name = 'id'): void => {
    if (params?.[name] !== own) notFound('page');
  };
  const shownResult = (result: Result): Result => ofResult(result, run_id);
  /** A list of a run may have results of the run that it is compared with. */
  const shownResults = <T extends Answer<Result[]>>(found: T): T => ({
    ...found,
    data: found.data.filter(({ test_run_id }) => test_run_id === run_id).map(shownResult),
  });

  /** An artifact does not say of which result it is: a reader gets the files that were listed for them. */
  const files = new Set<string>();
  const listed = <T extends { items: { artifact_id: string }[] }>(found: T): T => {
    for (const { artifact_id } of found.items) files.add(artifact_id);
    return found;
  };

  async function ownResult(id: string): Promise<Result> {
    const { data } = await api.get('/v1/test-results/{id}', { params: { id } });
    return data.test_run_id === run_id ? data : notFound('page');
  }

  async function get(path: string, given: Given): Promise<unknown> {
    const { params = {}, query = {} } = given;
    switch (path) {
      case '/v1/test-runs/{id}':
        mustBe(run_id, given);
        return api.get(path, given);
      case '/v1/projects/{id}': {
        mustBe(project_id, given);
        const found = await api.get(path, given);
        return { data: { ...found.data, description: null, repo_url: null } };
      }
      case '/v1/test-runs/{id}/comparison': {
        mustBe(run_id, given);
        const { data } = await api.get(path, { params });
        return { data: { ...data, baseline: data.baseline && { ...data.baseline, id: '', commit: null } } };
      }
      case '/v1/test-runs/{id}/comparison/{kind}': {
        mustBe(run_id, given);
        const { baseline: _, ...own } = query;
        return shownResults(await api.get(path, { params, query: own }));
      }
      case '/v1/test-runs/{id}/results':
        mustBe(run_id, given);
        return shownResults(await api.get(path, given));
      case '/v1/test-runs/{id}/failures': {
        mustBe(run_id, given);
        const { baseline: _, ...own } = query;
        const found = await api.get(path, { params, query: own });
        return { ...found, data: found.data.map((group) => ofGroup(group, run_id)) };
      }
      case '/v1/test-runs/{id}/failures/{group}':
        mustBe(run_id, given);
        return shownResults(await api.get(path, given));
      case '/v1/test-results/{id}':
        return { data: shownResult(await ownResult(params['id'] ?? '')) };
      case '/v1/projects/{id}/tests/{test}/outcomes': {
        mustBe(project_id, given);
        const found = await api.get(path, given);
        // The attempts of the run. The others are of other runs.
        const data = found.data.filter(({ test_run_id }) => test_run_id === run_id);
        return { data, pagination: { ...found.pagination, total: data.length } };
      }
      case '/v1/test/artifact/':
        await ownResult(String(query['test_result_id']));
        return listed(await api.get(path, given));
      case '/v1/test/artifact/{artifact_id}/download':
        if (!files.has(params['artifact_id'] ?? '')) notFound('page');
        return api.get(path, given);
      default:
        return notFound('page');
    }
  }

  return { get: (path, given = {}) => get(path, given) as never, lag: () => api.lag() };
}

/** The instant stays: since when, but not where. */
function ofMoment<T extends Moment | null>(moment: T, run: string): T {
  return moment === null || moment.run_id === run ? moment : { ...moment, run_id: null, commit: null };
}

function ofResult(result: Result, run: string): Result {
  return {
    ...result,
    failing_since: ofMoment(result.failing_since, run),
    last_passed: ofMoment(result.last_passed, run),
    // The branches and environments of other runs.
    also_fails_on: null,
  };
}

function ofGroup(group: Group, run: string): Group {
  const { first_seen, last_seen, outcomes, example } = group;
  const own = { ...group, first_seen: ofMoment(first_seen, run), last_seen: ofMoment(last_seen, run) };
  return {
    ...own,
    ...(outcomes !== undefined && {
      outcomes: outcomes.map(({ run_id, outcome }) => ({ run_id: run_id === run ? run : '', outcome })),
    }),
    example: example && ofResult(example, run),
  };
}
