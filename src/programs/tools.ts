/** The tools of MCP that read. A new tool is an entry here. */
import { comparisonKinds } from '../domain/comparison/compare.js';
import { groupText, projectOfTest, runText, testText } from '../dashboard/pages/texts.js';
import type { Text } from '../dashboard/page.js';
import { readChanges } from './changes.js';
import { findRuns } from './find-runs.js';
import { knownFailureTools } from './known-failures.js';
import { listed, MOST_ITEMS, pageWith, partOf, within } from './pieces.js';
import { ToolError, type Argument, type Given, type Tool, type ToolSource } from './tool.js';

const id = (of: string): Argument => ({ type: 'string', description: `The id of ${of}`, required: true });
const branch: Argument = { type: 'string', description: 'Only this branch' };
const limit: Argument = { type: 'integer', description: `The most items, by default 20`, most: MOST_ITEMS };
const after: Argument = {
  type: 'string',
  description: 'The `next` of the answer before, for the items that follow',
};
const baseline: Argument = {
  type: 'string',
  description: 'The id of another run to compare with than its own baseline',
};

export const tools: readonly Tool[] = [
  {
    name: 'find_runs',
    description:
      'Lists runs, those that came last first, with outcome, counts and when their tests ran (started_at; created_at is when it came). A commit has a run for each tool and environment: look at all of them before you call it green. Without project_id: the newest of all projects.',
    role: 'viewer',
    arguments: { project_id: { ...id('a project'), required: false }, branch, limit, after },
    run: findRuns,
  },
  {
    name: 'run_brief',
    description:
      'One run: the verdict, groups of failures with one cause (new ones first), then flaky, known, fixed and slower results. comparison.baseline is the run that it is compared with; baseline is what a person said of it as one.',
    role: 'viewer',
    arguments: { run_id: id('the run'), baseline },
    run: async (source, { run_id, baseline: of }) =>
      contentOf(await runText(source, { run: String(run_id), baseline: of as string | undefined })),
  },
  {
    name: 'failure_brief',
    description:
      'One group of failures with the same cause: its state, owner, ticket and note, its newest failure with message and stack, since when, and its runs.',
    role: 'viewer',
    arguments: { project_id: id('the project'), group: id('the group') },
    run: async (source, { project_id, group }) =>
      contentOf(await groupText(source, { project: String(project_id), group: String(group) })),
  },
  {
    name: 'test_brief',
    description:
      'One test: its state (flaky, broken, stable) with the evidence, its errors and its last outcomes.',
    role: 'viewer',
    arguments: { test_id: id('the test'), branch },
    run: async (source, { test_id, branch: on }) =>
      contentOf(await testText(source, { test: String(test_id), branch: on as string | undefined })),
  },
  {
    name: 'compare',
    description: 'What is different between a run and its baseline: counts and the tests of each kind.',
    role: 'viewer',
    arguments: { run_id: id('the run'), baseline },
    run: compare,
  },
  {
    name: 'flaky_tests',
    description: 'The flaky tests of a project, those with most failures first.',
    role: 'viewer',
    arguments: { project_id: id('the project'), branch, limit, after },
    run: flakyTests,
  },
  {
    name: 'history',
    description:
      'What happened to one run or result, oldest first, or the outcomes of one test, newest first. Takes one id.',
    role: 'viewer',
    arguments: {
      run_id: { ...id('a run'), required: false },
      result_id: { ...id('a result'), required: false },
      test_id: { ...id('a test'), required: false },
    },
    run: history,
  },
  {
    name: 'artifact_text',
    description:
      'The text of an artifact, such as a log: its beginning and its end. The history of a result has the ids of its artifacts.',
    role: 'viewer',
    arguments: { artifact_id: id('the artifact') },
    run: (source, { artifact_id }) => artifact(source, String(artifact_id)),
  },
  {
    name: 'stats',
    description:
      'What is counted of the completed runs of a project in the last 30 days, by day, beside the 30 days before. A test counts in each run, as in new_failures and flaky_tests: flaky_tests (the tool) has the tests.',
    role: 'viewer',
    arguments: { project_id: id('the project'), branch },
    async run({ api }, { project_id, branch: on }) {
      const { data } = await api.get('/v1/projects/{id}/stats', {
        params: { id: String(project_id) },
        query: { branch: on },
      });
      const { rows, ...head } = data;
      return within(head, { rows });
    },
  },
  {
    name: 'events_since',
    description:
      'The events of the team after a position, oldest first. An answer of another tool has the position to begin with.',
    role: 'viewer',
    arguments: { after: { ...after, description: 'A position; left out: from the first event' }, limit },
    run: readChanges,
  },
  ...knownFailureTools,
];

/** Without its position, which each answer has by itself. */
function contentOf({ text }: Text): object {
  const { position: _, ...content } = JSON.parse(text) as Record<string, unknown>;
  return content;
}

const COMPARED = 20;

async function compare({ api, links }: ToolSource, { run_id, baseline: asked }: Given): Promise<object> {
  const params = { id: String(run_id) };
  const { data } = await api.get('/v1/test-runs/{id}/comparison', { params, query: { baseline: asked } });
  const kinds = comparisonKinds.filter((kind) => kind !== 'renamed_maybe' && data.counts[kind] > 0);
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const query = { baseline: asked, per_page: COMPARED };
      const { data: results } = await api.get('/v1/test-runs/{id}/comparison/{kind}', {
        params: { ...params, kind },
        query,
      });
      return [kind, results.map(({ id: result, name, status }) => ({ id: result, name, status }))] as const;
    }),
  );
  return within({ run: { id: params.id, url: links.run(params.id) }, ...data }, Object.fromEntries(lists));
}

async function flakyTests({ api, links }: ToolSource, given: Given): Promise<object> {
  const id = String(given['project_id']);
  const part = partOf(given);
  const { query, before } = pageWith(part);
  const { data, pagination } = await api.get('/v1/projects/{id}/tests', {
    params: { id },
    query: { ...query, trouble: 'flaky', branch: given['branch'] },
  });
  const rows = data.slice(before).map((test) => ({
    id: test.id,
    url: links.test(id, test.id),
    name: test.name,
    owner: test.owner,
    state: test.state,
    failure_rate: test.failure_rate,
    known_failure: test.known_failure,
  }));
  return listed('tests', rows, part, pagination.total);
}

const ENTRIES = 50;

async function history({ api }: ToolSource, { run_id, result_id, test_id }: Given): Promise<object> {
  const given = Object.entries({ run_id, result_id, test_id }).filter(([, value]) => value !== undefined);
  if (given.length !== 1)
    throw new ToolError(given[1]?.[0] ?? 'run_id', 'history takes one of run_id, result_id and test_id.');
  const query = { per_page: ENTRIES };
  if (test_id !== undefined) {
    const test = String(test_id);
    const params = { id: await projectOfTest(api, test), test };
    const { data, pagination } = await api.get('/v1/projects/{id}/tests/{test}/outcomes', { params, query });
    return within({ total: pagination.total }, { outcomes: data });
  }
  const { data, pagination } =
    run_id === undefined
      ? await api.get('/v1/test-results/{id}/history', { params: { id: String(result_id) }, query })
      : await api.get('/v1/test-runs/{id}/history', { params: { id: String(run_id) }, query });
  return within({ total: pagination.total }, { entries: data });
}

async function artifact({ api, key, artifactText }: ToolSource, artifact_id: string): Promise<object> {
  // It checks that the artifact is there, for this key.
  await api.get('/v1/test/artifact/{artifact_id}/download', { params: { artifact_id } });
  return artifactText(key, artifact_id);
}
