/** Random plays: sequences of commands of two teams, most of them valid. */
import * as fc from 'fast-check';
import { resultStatuses } from '../../src/domain/result.js';
import { keyRoles } from '../../src/domain/team.js';
import { isLedgerError, type ErrorCode } from '../../src/errors.js';
import { openPlay, type Play } from './play.js';

type ResultPlace = ReturnType<Play['result']>;

/** The things that commands may name. It begins with two teams that have a project and a run each. */
type World = {
  play: Play;
  teams: string[];
  keys: [team: string, key: string][];
  projects: ReturnType<Play['project']>[];
  runs: ReturnType<Play['run']>[];
  results: ResultPlace[];
  artifacts: ReturnType<Play['artifact']>[];
  webhooks: ReturnType<Play['webhook']>[];
  /** Retries that were claimed but not recorded. */
  claims: [retry: ResultPlace, former: ResultPlace][];
};

type Move = (world: World) => void;

export type Played = Pick<Play, 'events' | 'steps'> & { refusals: ErrorCode[] };

/** Plays of up to `most` commands. */
export function plays(most: number): fc.Arbitrary<Played> {
  return fc.array(move, { maxLength: most, size: 'max' }).map(playAll);
}

function playAll(moves: readonly Move[]): Played {
  const play = openPlay();
  const teams = [play.team(), play.team()];
  const projects = teams.map((team) => play.project(team));
  const runs = projects.map((project) => play.run(project));
  const none = { keys: [], results: [], artifacts: [], webhooks: [], claims: [] };
  const world: World = { play, teams, projects, runs, ...none };
  const refusals: ErrorCode[] = [];
  for (const one of moves) {
    try {
      one(world);
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      refusals.push(error.code);
    }
  }
  const { events, steps } = play;
  // The text that a failed property shows.
  const shown = () => events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`).join('\n');
  return Object.assign({ events, steps, refusals }, { [fc.toStringMethod]: shown });
}

const name = fc.constantFrom('adds up', 'subtracts', 'é😀');
const status = fc.constantFrom(...resultStatuses);
const text = fc.constantFrom(null, '', 'no', '😀');
const label = fc.constantFrom(null, 'nightly', '😀😀');
const metadata = fc.constantFrom(
  null,
  {},
  { branch: 'main', commit: 'abc' },
  JSON.parse('{"__proto__":{"a":1},"":[1,{"b":[null,1.5]}],"2":"two","1":"one"}') as Record<string, unknown>,
);
const instant = fc.constantFrom(
  null,
  '2026-11-20T00:00:00.000Z',
  '2026-11-21T00:00:10.000Z',
  '2026-11-23T00:00:00.000Z',
);
const projectChanges = some({
  name,
  description: text,
  status: fc.constantFrom('Active' as const, 'Inactive' as const),
});
const runChanges = some({
  label,
  metadata,
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
  execution_time_ms: fc.constantFrom(null, 0, 7),
});
const items = fc.array(item, { minLength: 1, maxLength: 6 });
const end = some({ status, error_message: text, metadata });
const resultChanges = some({
  status,
  error_message: text,
  metadata,
  started_at: instant,
  finished_at: instant,
  execution_time_ms: fc.constantFrom(null, 0, 7),
});

const subscriptions = fc.uniqueArray(
  fc.constantFrom('test.failed', 'test.flaky', 'test.recovered', 'run.completed', '*'),
  { minLength: 1, maxLength: 3 },
);
const hookChanges = some({
  url: fc.constantFrom('https://example.org/hook', 'https://example.org/é'),
  events: subscriptions,
  enabled: fc.boolean(),
});

const move: fc.Arbitrary<Move> = fc.oneof(
  moves(1, text, ({ play, projects, teams }, at, description) => {
    projects.push(play.project(at(teams), 'Shop', description));
  }),
  moves(2, projectChanges, ({ play, projects }, at, changes) => play.change(at(projects), changes)),
  moves(1, fc.constantFrom(...keyRoles), ({ play, teams, keys }, at, role) => {
    keys.push([at(teams), play.key(at(teams), role, 'admin')]);
  }),
  moves(1, fc.boolean(), ({ play, teams, keys }, at, known) =>
    known && keys.length > 0 ? play.revoke(...at(keys)) : play.revoke(at(teams), 'key_none'),
  ),
  moves(2, fc.tuple(label, metadata), ({ play, projects, runs }, at, [label, metadata]) => {
    runs.push(play.run(at(projects), label, metadata));
  }),
  moves(
    2,
    fc.record({ items, label, metadata, started_at: instant }),
    ({ play, projects, runs, results }, at, { items, ...more }) => {
      const submitted = play.submit(at(projects), items, more);
      runs.push(submitted.run);
      results.push(...submitted.results);
    },
  ),
  moves(6, runChanges, ({ play, runs }, at, changes) => play.turn(at(runs), changes)),
  moves(1, fc.constant(null), ({ play, runs }, at) => play.idle(at(runs))),
  moves(1, status, ({ play, projects, results }, at, status) => {
    results.push(play.result(at(projects), status));
  }),
  moves(8, fc.record({ status, name, metadata }), ({ play, runs, results }, at, { status, ...more }) => {
    results.push(play.result(at(runs), status, more));
  }),
  moves(1, fc.constant(null), ({ play, runs }, at) => void play.claim(nothingOf(at(runs)))),
  onResult(6, status, ({ play, results }, result, status) => {
    if (result.run !== null) results.push(play.retry(result, status));
  }),
  onResult(1, fc.constant(null), ({ play, claims }, result) => {
    if (result.run !== null) claims.push([play.claim(result), result]);
  }),
  moves(2, status, ({ play, claims, results }, at, status) => {
    if (claims.length === 0) return;
    play.recordRetry(...at(claims), status);
    results.push(at(claims)[0]);
  }),
  onResult(2, fc.constant(null), ({ play }, result) => play.start(result)),
  onResult(3, end, ({ play }, result, changes) => play.finish(result, changes)),
  onResult(4, resultChanges, ({ play }, result, changes) => play.update(result, changes)),
  onResult(3, fc.constant(null), ({ play }, result) => play.delete(result)),
  onResult(5, metadata, ({ play, artifacts }, result, metadata) => {
    artifacts.push(play.artifact(result, { metadata, test_step: metadata === null ? null : 'a step' }));
  }),
  onArtifact(4, fc.constantFrom('v1', 'v2'), ({ play }, artifact, version) =>
    play.confirm(artifact, version),
  ),
  onArtifact(1, fc.constant(null), ({ play }, artifact) => play.remove(artifact)),
  onArtifact(2, fc.constant(null), ({ play }, artifact) => play.expire(artifact)),
  moves(2, subscriptions, ({ play, teams, webhooks }, at, events) => {
    webhooks.push(play.webhook(at(teams), events));
  }),
  onWebhook(4, hookChanges, ({ play }, hook, changes) =>
    play.hook(hook, { type: 'ChangeWebhook', ...changes }),
  ),
  onWebhook(1, fc.constantFrom('gone' as const, 'failing' as const), ({ play }, hook, reason) =>
    play.hook(hook, { type: 'DisableWebhook', reason }),
  ),
  onWebhook(1, fc.constant(null), ({ play }, hook) => play.hook(hook, { type: 'DeleteWebhook' })),
  onWebhook(2, fc.constant(null), ({ play }, hook) => play.hook(hook, { type: 'PingWebhook' })),
  onWebhook(1, fc.constant(null), ({ play }, hook) => play.rotate(hook)),
);

/** Picks one of the existing things by a small number, so that many commands name the same things. */
type At = <T>(things: readonly T[]) => T;

function moves<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, at: At, values: T) => void,
) {
  const arbitrary = fc.tuple(fc.nat(5), values).map(([which, given]): Move => {
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
  return moves(weight, values, (world, at, given) => {
    if (world.results.length > 0) perform(world, at(world.results), given);
  });
}

function onWebhook<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, hook: World['webhooks'][number], values: T) => void,
) {
  return moves(weight, values, (world, at, given) => {
    if (world.webhooks.length > 0) perform(world, at(world.webhooks), given);
  });
}

function onArtifact<T>(
  weight: number,
  values: fc.Arbitrary<T>,
  perform: (world: World, artifact: World['artifacts'][number], values: T) => void,
) {
  return moves(weight, values, (world, at, given) => {
    if (world.artifacts.length > 0) perform(world, at(world.artifacts), given);
  });
}

/** A result of the run that was never recorded. */
function nothingOf(run: World['runs'][number]): ResultPlace {
  return { ...run, run: run.id, id: 'result_none', name: 'adds up' };
}

/** Any subset of the fields. */
function some<T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}
