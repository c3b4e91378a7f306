/** Fills a service with the history, in the order in which it happened. */
import { unwrap, type Client, type SubmittedRun } from '../client/index.js';
import { attachmentsOf } from './attachments.js';
import { withoutAShard } from './branches.js';
import { jobsOf, runsSuite, type Build, type Item, type Job } from './runs.js';
import { knownFailure, pushes, type Push } from './story.js';
import { projects, suites, type ProjectName, type Suite } from './suites.js';

export type Filling = {
  client: Client;
  /** The end of the story, in milliseconds. */
  now: number;
  days: number;
  print: (line: string) => void;
};

export type Filled = {
  projectIds: ReadonlyMap<ProjectName, string>;
  runs: number;
  results: number;
  artifacts: number;
};

/** The runs of main whose failures have files: the last ones. Older ones would only take time. */
const NEWEST_WITH_FILES = 3;
const SHARD_MISSING = { branch: withoutAShard, index: 3 };
/** The run of main whose second shard lost its machine half-way, and was started again. */
const SHARD_REPEATED = { age: 5, index: 2 };
/** The last push of this branch is still running: its last two shards have not come. */
const STILL_RUNNING = { branch: 'feature/gift-cards', shards: 2 };

export async function fillService(filling: Filling): Promise<Filled> {
  const { client, now, days } = filling;
  const projectIds = new Map<ProjectName, string>();
  for (const { name, description } of projects) {
    const { data } = await unwrap(client.POST('/v1/projects', { body: { name, description } }));
    projectIds.set(name, data.id);
  }
  const story = pushes(now, days);
  const filled = { projectIds, runs: 0, results: 0, artifacts: 0 };
  // The order of the runs of a project matters, because each is compared with the one before.
  await Promise.all(projects.map(({ name }) => fillProject(name, story, filled, filling)));
  return filled;
}

async function fillProject(
  name: ProjectName,
  story: readonly Push[],
  filled: Filled,
  filling: Filling,
): Promise<void> {
  const projectId = filled.projectIds.get(name)!;
  const oldest = Math.max(...story.map(({ age }) => age));
  for (const [n, push] of story.entries()) {
    if (name === 'Web shop' && push.own === null && push.age === knownFailure.age)
      await setKnownFailure(projectId, filling);
    for (const suite of suites) {
      if (suite.project !== name || !runsSuite(push, suite)) continue;
      await fillRun({ projectId, push, suite, number: 4_210 + n, oldest }, filled, filling);
    }
    if (n % 40 === 39) filling.print(`${name}: ${n + 1} of ${story.length} pushes`);
  }
}

async function fillRun(build: Build, filled: Filled, { client }: Filling): Promise<void> {
  const { push, suite } = build;
  const jobs = jobsThatCame(build);
  const sent = await Promise.all(jobs.map(async (job) => ({ job, run: await client.submitRun(job.run) })));
  const { id } = sent[0]!.run;
  filled.runs += 1;
  filled.results += jobs.reduce((sum, { items }) => sum + items.length, 0);
  if (isMissingShard(push, suite))
    await unwrap(
      client.POST('/v1/test/run/{test_run_id}', {
        params: { path: { test_run_id: id } },
        body: { status: 'Completed' },
      }),
    );
  if (push.age >= NEWEST_WITH_FILES) return;
  for (const { job, run } of sent) filled.artifacts += await uploadFiles(client, job.items, run, suite);
}

function isMissingShard({ branch }: Push, { shards }: Suite): boolean {
  return shards > 1 && branch === SHARD_MISSING.branch;
}

/** The jobs of a run that reached the service. */
function jobsThatCame(build: Build): Job[] {
  const { push, suite } = build;
  const jobs = jobsOf(build);
  if (suite.shards === 1) return jobs;
  if (isMissingShard(push, suite)) return jobs.filter((_, n) => n !== SHARD_MISSING.index - 1);
  if (push.own?.isLast && push.branch === STILL_RUNNING.branch) return jobs.slice(0, STILL_RUNNING.shards);
  if (push.own !== null || push.age !== SHARD_REPEATED.age) return jobs;
  const at = SHARD_REPEATED.index - 1;
  const { run, items } = jobs[at]!;
  const half = items.slice(0, items.length / 2);
  const first = { items: half, run: { ...run, results: half.map(({ submitted }) => submitted) } };
  const second = { items, run: { ...run, shard: { ...run.shard!, attempt: 2 } } };
  return [...jobs.with(at, first), second];
}

async function uploadFiles(
  client: Client,
  items: readonly Item[],
  run: SubmittedRun,
  suite: Suite,
): Promise<number> {
  let uploaded = 0;
  for (const [n, item] of items.entries()) {
    for (const attachment of attachmentsOf(item, suite)) {
      await client.uploadArtifact({ ...attachment, resultId: run.resultId(n) });
      uploaded += 1;
    }
  }
  return uploaded;
}

async function setKnownFailure(projectId: string, { client, now }: Filling): Promise<void> {
  const { name } = suites.flatMap(({ tests }) => tests).find(({ key }) => key === knownFailure.test)!;
  const { data } = await unwrap(
    client.GET('/v1/projects/{id}/tests', { params: { path: { id: projectId }, query: { q: name } } }),
  );
  const test = data.find((one) => one.name === name)!.id;
  const expires_at = new Date(now + knownFailure.days * 24 * 3_600_000).toISOString();
  await unwrap(
    client.PUT('/v1/projects/{id}/tests/{test}/known-failure', {
      params: { path: { id: projectId, test } },
      body: { reason: knownFailure.reason, expires_at },
    }),
  );
}
