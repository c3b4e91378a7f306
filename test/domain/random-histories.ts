/** Random histories: the events of random sequences of commands of two teams, most of them valid. */
import * as fc from 'fast-check';
import { failOnKinds } from '../../src/domain/gate/judge-gate.js';
import { resultStatuses } from '../../src/domain/results/result.js';
import { keyRoles, memberRoles } from '../../src/domain/teams/roles.js';
import { isAppError, type ErrorCode } from '../../src/errors.js';
import { causeChanges, changeNewest, some } from './cause-changes.js';
import { openMemoryLedger, type MemoryLedger } from './memory-ledger.js';

type ResultPlace = ReturnType<MemoryLedger['result']>;

/** The things that commands may name. It begins with two teams that have a project and a run each. */
type World = {
  ledger: MemoryLedger;
  teams: string[];
  keys: [team: string, key: string][];
  members: [team: string, person: string][];
  projects: ReturnType<MemoryLedger['project']>[];
  runs: ReturnType<MemoryLedger['run']>[];
  results: ResultPlace[];
  artifacts: ReturnType<MemoryLedger['artifact']>[];
  webhooks: ReturnType<MemoryLedger['webhook']>[];
  /** Retries that were claimed but not recorded. */
  claims: [retry: ResultPlace, former: ResultPlace][];
};

type Step = (world: World) => void;

export type RandomHistory = Pick<MemoryLedger, 'events' | 'steps'> & { refusals: ErrorCode[] };

/** Histories of up to `most` commands. */
export function randomHistories(most: number): fc.Arbitrary<RandomHistory> {
  return fc.array(anyStep, { maxLength: most, size: 'max' }).map(runAll);
}

function runAll(moves: readonly Step[]): RandomHistory {
  const ledger = openMemoryLedger();
  const teams = [ledger.team(), ledger.team()];
  const projects = teams.map((team) => ledger.project(team));
  const runs = projects.map((project) => ledger.run(project));
  const none = { keys: [], members: [], results: [], artifacts: [], webhooks: [], claims: [] };
  const world: World = { ledger, teams, projects, runs, ...none };
  const refusals: ErrorCode[] = [];
  for (const one of moves) {
    try {
      one(world);
    } catch (error) {
      if (!isAppError(error)) throw error;
      refusals.push(error.code);
    }
  }
  const { events, steps } = ledger;
  // The text that a failed property shows.
  const shown = () => events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`).join('\n');
  return Object.assign({ events, steps, refusals }, { [fc.toStringMethod]: shown });
}

const name = fc.constantFrom('adds up', 'again › adds up', 'é😀');
const status = fc.constantFrom(...resultStatuses);
const text = fc.constantFrom(null, '', 'no', '😀');
const label = fc.constantFrom(null, 'nightly', '😀😀');
const metadata = fc.constantFrom(
  null,
  null,
  {},
  {},
  { branch: 'main', commit: 'abc' },
  { branch: 'main', tool: 'jest' },
  { branch: 'feature', tool: 'jest' },
  { branch: 'main', pull_request: '7', owner: 'shop' },
  { branch: 'main', commit: 'abc', environment: { os: 'linux' } },
  { branch: 'main', tool: 'jest', environment: { os: 'mac', node: 22 } },
  { environment: { os: 'linux' } },
  JSON.parse('{"__proto__":{"a":1},"":[1,{"b":[null,1.5]}],"2":"two","1":"one"}') as Record<string, unknown>,
);
const instant = fc.constantFrom(
  null,
  '2026-11-20T00:00:00.000Z',
  '2026-11-21T00:00:10.000Z',
  '2026-11-23T00:00:00.000Z',
);
const gate = fc.option(
  some({
    fail_on: fc.constantFrom(...failOnKinds),
    max_removed: fc.constantFrom('default', '50%', 0, null),
    min_tests: fc.constantFrom(null, 2),
    max_known: fc.constantFrom(null, 0),
  }),
);
const projectChanges = some({
  name,
  description: text,
  default_branch: fc.constantFrom('main', 'trunk'),
  gate,
  status: fc.constantFrom('Active' as const, 'Inactive' as const),
});
const runChanges = some({
  label,
  metadata,
  baseline: fc.constantFrom('fit' as const, 'unfit' as const, null),
  status: fc.constantFrom('Pending' as const, 'Running' as const, 'Completed' as const),
});
const item = some({
  test_name: name,
  status,
  error_message: text,
  metadata,
  attempt: fc.integer({ min: 1, max: 3 }),
  started_at: fc.constantFrom(null, '2026-11-20T00:00:00.000Z'),
  finished_at: fc.constantFrom(null, '2026-11-20T00:00:00.007Z'),
  execution_time_ms: fc.constantFrom(null, 0, 7, 70),
});
const runKey = fc.constantFrom('a', 'b');
const items = fc.array(item, { minLength: 1, maxLength: 6 });
const end = some({ status, error_message: text, metadata });
const resultChanges = some({
  status,
  error_message: text,
  metadata,
  started_at: instant,
  finished_at: instant,
  execution_time_ms: fc.constantFrom(null, 0, 7, 70),
});

const subscriptions = fc.uniqueArray(
  fc.constantFrom('test.failed', 'test.flaky', 'test.recovered', 'run.completed', '*'),
  { minLength: 1, maxLength: 3 },
);
const hookChanges = some({
  url: fc.constantFrom('https://example.org/hook', 'https://example.org/é'),
  events: subscriptions,
  enabled: fc.boolean(),
  first: fc.boolean(),
});

/** Some last for a few commands. */
const knownFailures = fc.record({
  name,
  branch: fc.constantFrom(null, 'main'),
  environment: fc.constantFrom(null, null, { os: 'linux' }),
  seconds: fc.constantFrom(0, 5, 20, 3_600),
});

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  step(1, text, ({ ledger, projects, teams }, at, description) => {
    projects.push(ledger.project(at(teams), 'Shop', description));
  }),
  step(2, projectChanges, ({ ledger, projects }, at, changes) => ledger.changeProject(at(projects), changes)),
  step(1, gate, ({ ledger, teams }, at, change) => ledger.changeTeam(at(teams), change)),
  step(1, fc.constantFrom(...keyRoles), ({ ledger, teams, keys }, at, role) => {
    keys.push([at(teams), ledger.createKey(at(teams), role, 'admin')]);
  }),
  step(1, fc.boolean(), ({ ledger, teams, keys }, at, known) =>
    known && keys.length > 0 ? ledger.revokeKey(...at(keys)) : ledger.revokeKey(at(teams), 'key_none'),
  ),
  step(
    2,
    fc.record({ role: fc.constantFrom(...memberRoles), more: fc.nat(3) }),
    (world, at, { role, more }) => {
      const { ledger, teams, members } = world;
      const team = at(teams);
      // The first member of a team is an owner, who does everything.
      const known = members.find(([of]) => of === team)?.[1];
      const owner = known ?? ledger.addMember(team, 'owner', null);
      if (known === undefined) members.push([team, owner]);
      if (known === undefined || more === 0)
        return void members.push([team, ledger.addMember(team, role, owner)]);
      const [, last] = members.findLast(([of]) => of === team)!;
      if (more < 3) return ledger.changeMember(team, last, role, owner);
      const key = ledger.createKey(team, 'viewer', 'owner', last);
      ledger.takeKeyOver(team, key, { from: last, by: owner });
      ledger.removeMember(team, last, owner);
    },
  ),
  step(2, fc.tuple(label, metadata), ({ ledger, projects, runs }, at, [label, metadata]) => {
    runs.push(ledger.run(at(projects), label, metadata));
  }),
  step(
    2,
    fc.record({ items, label, metadata, started_at: instant }),
    ({ ledger, projects, runs, results }, at, { items, ...more }) => {
      const submitted = ledger.submit(at(projects), items, more);
      runs.push(submitted.run);
      results.push(...submitted.results);
    },
  ),
  step(
    3,
    fc.record({ items, label, metadata, started_at: instant, key: runKey, complete: fc.boolean() }),
    ({ ledger, projects, runs, results }, at, { items, key, ...more }) => {
      const called = ledger.call(
        at(projects),
        `plain ${key}`,
        more.complete && items.length > 3 ? [] : items,
        more,
      );
      if (!runs.some(({ id }) => id === called.run.id)) runs.push(called.run);
      results.push(...called.results);
    },
  ),
  step(
    6,
    fc.record({
      items,
      label,
      metadata,
      started_at: instant,
      key: runKey,
      shard: fc.record({
        index: fc.integer({ min: 1, max: 2 }),
        total: fc.constant(2),
        attempt: fc.integer({ min: 1, max: 3 }),
      }),
    }),
    ({ ledger, projects, runs, results }, at, { items, key, ...more }) => {
      const called = ledger.call(at(projects), `sharded ${key}`, items, more);
      if (!runs.some(({ id }) => id === called.run.id)) runs.push(called.run);
      results.push(...called.results);
    },
  ),
  step(6, runChanges, ({ ledger, runs }, at, changes) => ledger.updateRun(at(runs), changes)),
  step(1, fc.constant(null), ({ ledger, runs }, at) => ledger.completeIdleRun(at(runs))),
  step(1, status, ({ ledger, projects, results }, at, status) => {
    results.push(ledger.result(at(projects), status));
  }),
  step(8, fc.record({ status, name, metadata }), ({ ledger, runs, results }, at, { status, ...more }) => {
    results.push(ledger.result(at(runs), status, more));
  }),
  step(1, fc.constant(null), ({ ledger, runs }, at) => void ledger.claimRetry(nothingOf(at(runs)))),
  onResult(6, status, ({ ledger, results }, result, status) => {
    if (result.run !== null) results.push(ledger.retry(result, status));
  }),
  onResult(1, fc.constant(null), ({ ledger, claims }, result) => {
    if (result.run !== null) claims.push([ledger.claimRetry(result), result]);
  }),
  step(2, status, ({ ledger, claims, results }, at, status) => {
    if (claims.length === 0) return;
    ledger.recordRetry(...at(claims), status);
    results.push(at(claims)[0]);
  }),
  onResult(2, fc.constant(null), ({ ledger }, result) => ledger.startResult(result)),
  onResult(3, end, ({ ledger }, result, changes) => ledger.finishResult(result, changes)),
  onResult(4, resultChanges, ({ ledger }, result, changes) => ledger.updateResult(result, changes)),
  onResult(3, fc.constant(null), ({ ledger }, result) => ledger.deleteResult(result)),
  onResult(5, metadata, ({ ledger, artifacts }, result, metadata) => {
    artifacts.push(ledger.artifact(result, { metadata, test_step: metadata === null ? null : 'a step' }));
  }),
  onArtifact(4, fc.constantFrom('v1', 'v2'), ({ ledger }, artifact, version) =>
    ledger.confirmArtifact(artifact, version),
  ),
  onArtifact(1, fc.constant(null), ({ ledger }, artifact) => ledger.deleteArtifact(artifact)),
  onArtifact(2, fc.constant(null), ({ ledger }, artifact) => ledger.expireArtifact(artifact)),
  step(2, subscriptions, ({ ledger, teams, webhooks }, at, events) => {
    webhooks.push(ledger.webhook(at(teams), events));
  }),
  onWebhook(4, hookChanges, ({ ledger, projects }, hook, { first, ...changes }) => {
    const reach = { project_ids: first === true ? [projects[0]?.id ?? ''] : null };
    ledger.commandWebhook(hook, { type: 'ChangeWebhook', ...changes, ...reach });
  }),
  onWebhook(1, fc.constantFrom('gone' as const, 'failing' as const), ({ ledger }, hook, reason) =>
    ledger.commandWebhook(hook, { type: 'DisableWebhook', reason }),
  ),
  onWebhook(1, fc.constant(null), ({ ledger }, hook) =>
    ledger.commandWebhook(hook, { type: 'DeleteWebhook' }),
  ),
  onWebhook(2, fc.constant(null), ({ ledger }, hook) => ledger.commandWebhook(hook, { type: 'PingWebhook' })),
  onWebhook(1, fc.constant(null), ({ ledger }, hook) => ledger.rotateSecret(hook)),
  step(2, knownFailures, ({ ledger, projects }, at, { name, ...more }) =>
    ledger.setKnownFailure(at(projects), name, more),
  ),
  step(2, causeChanges, ({ ledger, projects }, at, said) => changeNewest(ledger, at(projects), said)),
  step(1, name, ({ ledger, projects }, at, name) => ledger.endKnownFailure(at(projects), name)),
  step(2, name, ({ ledger, projects }, at, name) => ledger.expireKnownFailure(at(projects), name)),
);

/** Picks one of the existing things by a small number, so that many commands name the same things. */
type At = <T>(things: readonly T[]) => T;

function step<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, at: At, values: T) => void,
) {
  const arbitrary = fc.tuple(fc.nat(5), values).map(([which, given]): Step => {
    const at: At = (things) => things[which % things.length]!;
    return (world) => perform(world, at, given);
  });
  return { weight, arbitrary };
}

function onResult<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, result: ResultPlace, values: T) => void,
) {
  return step(weight, values, (world, at, given) => {
    if (world.results.length > 0) perform(world, at(world.results), given);
  });
}

function onWebhook<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, hook: World['webhooks'][number], values: T) => void,
) {
  return step(weight, values, (world, at, given) => {
    if (world.webhooks.length > 0) perform(world, at(world.webhooks), given);
  });
}

function onArtifact<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, artifact: World['artifacts'][number], values: T) => void,
) {
  return step(weight, values, (world, at, given) => {
    if (world.artifacts.length > 0) perform(world, at(world.artifacts), given);
  });
}

/** A result of the run that was never recorded. */
function nothingOf(run: World['runs'][number]): ResultPlace {
  return { ...run, run: run.id, id: 'result_none', name: 'adds up' };
}
