/** Looks for a text in everything that a person goes to: projects, runs, tests and causes. */
import { groupDocuments } from '../../projections/history/failure-counts.js';
import { history } from '../../projections/history/history.js';
import { idOfTest, testDocuments } from '../../projections/history/tests.js';
import { runDocuments } from '../../projections/records/run-documents.js';
import type { components } from '../client/api.generated.js';
import type { Reader } from '../domain/teams/access.js';
import type { Titles } from '../domain/contents.js';
import type { Instant } from '../domain/event.js';
import type { ViewQuery, ViewReader } from '../ports/views.js';
import { typedViews, type TypedViews } from '../projecting/typed-views.js';
import { findProjects } from './projects.js';
import { recentProjects, type RecentProject } from './recent-projects.js';
import { shownRun } from './shown-run.js';
import type { TeamViews } from './team-views.js';
import { hasAll, wordsIn } from './words.js';

type Found = components['schemas']['Found'];

const SHOWN = 8;
const LOOKED_AT = { projects: 20, days: 60, listed: 500, runs: 100, causes: 50 };

type Sources = { views: TeamViews; historyViews: ViewReader; titles: Titles };
type Parts = { views: TeamViews; ofHistory: TypedViews; titles: Titles };

/** `searched`: the names of tests that were looked through. */
export function openSearch({ views, historyViews, titles }: Sources) {
  const parts: Parts = { views, ofHistory: typedViews(historyViews, history), titles };
  return (reader: Reader, text: string, now: Instant) => search(parts, reader, { text, now });
}

async function search(
  parts: Parts,
  reader: Reader,
  { text, now }: { text: string; now: Instant },
): Promise<{ found: Found; searched: number }> {
  const words = wordsIn(text);
  const { items } = await findProjects(parts.views, reader, { limit: LOOKED_AT.listed });
  const { projects } = await recentProjects(parts.views, reader, {
    now,
    days: LOOKED_AT.days,
    most: LOOKED_AT.projects,
  });
  const each = async <T>(read: (project: RecentProject) => Promise<T[]>) =>
    (await Promise.all(projects.map(read))).flat().slice(0, SHOWN);
  let searched = 0;
  const [runs, tests, causes] = await Promise.all([
    each((project) => runsNamed(parts, project, text, words)),
    each(async (project) => {
      const found = await testsNamed(parts, project, words);
      searched += found.searched;
      return found.tests;
    }),
    each((project) => causesNamed(parts, project, words)),
  ]);
  const named = items.filter(({ name }) => hasAll(name, words)).slice(0, SHOWN);
  return {
    found: { projects: named.map(({ project_id: id, name }) => ({ id, name })), runs, tests, causes },
    searched,
  };
}

/** By the beginning of a commit, by a branch, a pull request, or words of what the newest ones say. */
async function runsNamed(
  { views }: Parts,
  { project_id, project }: RecentProject,
  text: string,
  words: readonly string[],
): Promise<Found['runs']> {
  const newestFirst = { field: 'created_position', direction: 'descending' } as const;
  const find = async (query: Omit<ViewQuery, 'limit'>, limit = SHOWN) =>
    (await views.find(runDocuments, { ...query, limit })).items;
  const commit = /^[0-9a-f]{4,40}$/i.test(text) ? text.toLowerCase() : null;
  const pullRequest = /^#?(\d{1,9})$/.exec(text)?.[1];
  const [ofCommit, ofBranch, ofPullRequest, newest] = await Promise.all([
    commit === null
      ? []
      : find({
          where: { project_id },
          sort: { field: 'commit', direction: 'ascending' },
          range: { from: commit, to: `${commit}g` },
        }),
    find({ where: { project_id, branch: text }, sort: newestFirst }),
    pullRequest === undefined
      ? []
      : find({ where: { project_id, pull_request: pullRequest }, sort: newestFirst }),
    find({ where: { project_id }, sort: newestFirst }, LOOKED_AT.runs),
  ]);
  const says = newest.filter((run) => {
    const { title, branch, actor } = shownRun(run);
    return hasAll([title, branch, actor].join(' '), words);
  });
  const all = new Map(
    [...ofCommit, ...ofPullRequest, ...ofBranch, ...says].map((run) => [run.test_run_id, run]),
  );
  return [...all.values()].slice(0, SHOWN).map((run) => ({ project_id, project, ...shownRun(run) }));
}

/** By their words in any order. */
async function testsNamed(
  { ofHistory }: Parts,
  { project_id, project }: RecentProject,
  words: readonly string[],
): Promise<{ tests: Found['tests']; searched: number }> {
  const sort = { field: 'name', direction: 'ascending' } as const;
  const where = { listed_in: project_id };
  const [{ items }, { total = 0 }] = await Promise.all([
    ofHistory.find(testDocuments, { where, sort, contains: words, limit: SHOWN }),
    ofHistory.find(testDocuments, { where, sort, limit: 1, total: true }),
  ]);
  const tests = items.map((test) => ({
    project_id,
    project,
    test_id: idOfTest(test),
    name: test.name,
    owner: test.owner,
  }));
  return { tests, searched: total };
}

/** Of those that were seen last. */
async function causesNamed(
  { ofHistory, titles }: Parts,
  { project_id, project }: RecentProject,
  words: readonly string[],
): Promise<Found['causes']> {
  const { items } = await ofHistory.find(groupDocuments, {
    where: { listed_in: project_id },
    sort: { field: 'last_at', direction: 'descending' },
    limit: LOOKED_AT.causes,
  });
  const of = await titles(items.map(({ group }) => group.title));
  return items.flatMap(({ group, runs }) => {
    const title = of.get(group.title);
    return title === undefined || !hasAll(title, words)
      ? []
      : [{ project_id, project, group: group.id, title, runs }];
  });
}
