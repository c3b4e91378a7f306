/** Fills a service with the history, in the order in which it happened. */
import { unwrap, type Client } from '../client/index.js';
import { attachmentsOf } from './attachments.js';
import { withoutAShard } from './branches.js';
import { jobsOf, labelOf, runsSuite, type Build, type Job } from './runs.js';
import { serviceOver, type DemoService } from './service.js';
import { knownFailure, pushes, type Push } from './story.js';
import { projects, suites, type ProjectName, type Suite } from './suites.js';

type Story = {
  /** The end of the story, in milliseconds. */
  now: number;
  days: number;
  print: (line: string) => void;
};

export type Filling = Story & { client: Client };

/** What fills one project. `came`: the labels of runs that came before the filling was interrupted. */
type Filler = Story & { service: DemoService; came?: ReadonlySet<string> };

type Counted = { runs: number; results: number; artifacts: number };

export type Filled = Counted & {
  projectIds: ReadonlyMap<ProjectName, string>;
};

/** The runs of main whose failures have files: the last ones. Older ones would only take time. */
const NEWEST_WITH_FILES = 3;
const SHARD_MISSING = { branch: withoutAShard, index: 3 };
/** The run of main whose second shard lost its machine half-way, and was started again. */
const SHARD_REPEATED = { age: 5, index: 2 };
/** The last push of this branch is still running: its last two shards have not come. */
const STILL_RUNNING = { branch: 'feature/gift-cards', shards: 2 };

export async function fillService({ client, ...told }: Filling): Promise<Filled> {
  const projectIds = new Map<ProjectName, string>();
  for (const { name, description } of projects) {
    const { data } = await unwrap(client.POST('/v1/projects', { body: { name, description } }));
    projectIds.set(name, data.id);
  }
  const service = serviceOver(client);
  const filled = { projectIds, runs: 0, results: 0, artifacts: 0 };
  // The order of the runs of a project matters, because each is compared with the one before.
  await Promise.all(
    projects.map(({ name }) => fillProject(name, projectIds.get(name)!, filled, { ...told, service })),
  );
  return filled;
}

/** `filled` is counted up. */
export async function fillProject(
  name: ProjectName,
  projectId: string,
  filled: Counted,
  filling: Filler,
): Promise<void> {
  const story = pushes(filling.now, filling.days);
  const oldest = Math.max(...story.map(({ age }) => age));
  for (const [n, push] of story.entries()) {
    const number = 4_210 + n;
    const builds = suites
      .filter((suite) => suite.project === name && runsSuite(push, suite))
      .map((suite): Build => ({ projectId, push, suite, number, oldest }))
      .filter(({ suite }) => filling.came?.has(labelOf(suite, number)) !== true);
    const isMarked = name === 'Web shop' && push.own === null && push.age === knownFailure.age;
    if (isMarked && builds.length > 0) await setKnownFailure(projectId, filling);
    for (const build of builds) await fillRun(build, filled, filling);
    if (n % 40 === 39) filling.print(`${name}: ${n + 1} of ${story.length} pushes`);
  }
}

async function fillRun(build: Build, filled: Counted, { service }: Filler): Promise<void> {
  const { push, suite } = build;
  const jobs = jobsThatCame(build);
  const sent = await Promise.all(jobs.map(async (job) => ({ job, run: await service.submitRun(job.run) })));
  const { id } = sent[0]!.run;
  filled.runs += 1;
  filled.results += jobs.reduce((sum, { items }) => sum + items.length, 0);
  if (isMissingShard(push, suite)) await service.completeRun(id);
  if (push.age >= NEWEST_WITH_FILES) return;
  for (const { job, run } of sent) {
    const files = job.items.flatMap((item, n) =>
      attachmentsOf(item, suite).map((attachment) => ({ ...attachment, resultId: run.resultId(n) })),
    );
    if (files.length > 0) await service.upload(files);
    filled.artifacts += files.length;
  }
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

async function setKnownFailure(projectId: string, { service, now }: Filler): Promise<void> {
  const { name } = suites.flatMap(({ tests }) => tests).find(({ key }) => key === knownFailure.test)!;
  const ends = now + knownFailure.days * 24 * 3_600_000;
  // The story may have been interrupted long ago.
  if (ends <= Date.now()) return;
  const expires_at = new Date(ends).toISOString();
  const test = await service.testNamed(projectId, name);
  await service.setKnownFailure(projectId, test, { reason: knownFailure.reason, expires_at });
}
