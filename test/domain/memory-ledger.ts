/**
 * A ledger in memory. Its commands go through the deciders, and it holds the events in the order of a log. Each command
 * comes one second after the command before.
 */
import { artifactParent } from '../../src/domain/artifact/artifact-parent.js';
import type { GateChange } from '../../src/domain/gate/settings.js';
import type { NewArtifact } from '../../src/domain/artifact/artifact.js';
import type { Decider } from '../../src/domain/decider.js';
import { environmentKeyIn, resultEnvironment, type Environment } from '../../src/domain/environment.js';
import { itemPosition, streamName, type Category, type Instant } from '../../src/domain/event.js';
import { eventVersions } from '../../src/domain/events.js';
import type { EventType, Fact, LedgerEvent } from '../../src/domain/events.js';
import { cause, type ChangeCause } from '../../src/domain/causes/cause.js';
import { closedDays } from '../../src/domain/messages/closed-days.js';
import { knownFailure } from '../../src/domain/known-failure.js';
import { project, type ProjectCommand } from '../../src/domain/project.js';
import {
  result,
  type Changes,
  type PresentResult,
  type ResultStatus,
} from '../../src/domain/results/result.js';
import { groupOfFailed, type BeginningFacts } from '../../src/domain/test-history/result-facts.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import type { Shard } from '../../src/domain/runs/run-calls.js';
import { runIdOf } from '../../src/domain/runs/run-key.js';
import { run, type Metadata, type RunCommand, type RunRecord } from '../../src/domain/runs/run.js';
import type { SubmitToRun } from '../../src/domain/runs/submissions.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import { team, type KeyRole } from '../../src/domain/teams/team.js';
import { webhookPlaces } from '../../src/domain/messages/webhook-places.js';
import { webhook, type Subscription, type WebhookCommand } from '../../src/domain/messages/webhook.js';
import { idOf } from './ids.js';
import { replacersOf, shardItems, type ShardItem } from './shards.js';
import { keyMaker } from './key-maker.js';
import { countsOf, submittedItems, type Item, type Submitted } from './submission.js';

/** One decision of a decider. `facts` is null if the command was refused. */
export type Step = {
  decider: Decider<unknown, { type: string }, EventType>;
  stream: string;
  command: { type: string };
  before: unknown;
  facts: Fact[] | null;
  after: unknown;
};

type Place = { team: string; id: string };
type Within = Place & { project: string };
type ResultPlace = Within & { run: string | null; name: string };
/** An artifact and its result. */
type ArtifactPlace = Place & { result: ResultPlace };

type KnownFailureFields = {
  branch?: string | null;
  environment?: Environment | null;
  seconds?: number;
  reason?: string;
  group?: string;
};

export type MemoryLedger = ReturnType<typeof openMemoryLedger>;

export function openMemoryLedger() {
  const events: LedgerEvent[] = [];
  const steps: Step[] = [];
  const states = new Map<string, unknown>();
  const revisions = new Map<string, number>();
  let ids = 0;
  let seconds = 0;
  let written = 0;
  const newId = (prefix: 'team' | 'key' | 'person' | 'project' | 'run' | 'result' | 'artifact' | 'webhook') =>
    idOf(prefix, (ids += 1));
  const tick = (): Instant => new Date(Date.UTC(2026, 10, 21) + (seconds += 1) * 1_000).toISOString();

  const onTeam = executor(team, 'team');
  const onProject = executor(project, 'project');
  const onRun = executor(run, 'run');
  const onResult = executor(result, 'result');
  const onArtifact = executor(artifactParent, 'artifact');
  const onWebhook = executor(webhook, 'webhook');
  const onKnownFailure = executor(knownFailure, 'known');
  const onCause = executor(cause, 'cause');
  const onDays = executor(closedDays, 'digest');
  const onWebhookPlaces = executor(webhookPlaces, 'webhook');

  function executor<S, C, T extends EventType>(decider: Decider<S, C, T>, category: Category) {
    return (place: Place, commandAt: (at: Instant) => C): S => execute(decider, category, place, commandAt);
  }

  function execute<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    category: Category,
    { team, id }: Place,
    commandAt: (at: Instant) => C,
  ): S {
    const at = tick();
    const command = commandAt(at);
    const stream = streamName(category, team, id);
    const before = (states.get(stream) ?? decider.initial) as S;
    const step = { decider, stream, command, before } as unknown as Omit<Step, 'facts' | 'after'>;
    let facts: Fact<T>[];
    try {
      facts = decider.decide(command, before);
    } catch (error) {
      steps.push({ ...step, facts: null, after: before });
      throw error;
    }
    // Frozen, so that a function that changes its input fails.
    const placed = facts.map((fact) => ({
      ...fact,
      meta: { at, facts: fact.facts },
      position: newPosition(),
    }));
    const after = placed.reduce((state, fact) => freeze(decider.evolve(state, fact)), before);
    steps.push({ ...step, facts: facts as Fact[], after });
    states.set(stream, after);
    for (const [n, fact] of facts.entries()) {
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      keep(fact as Fact, { team, at, stream, revision }, placed[n]!.position);
    }
    return after;
  }

  type Origin = { team: string; at: Instant; stream: string; revision: number };

  function keep(
    { facts, ...fact }: Fact,
    { team, at, stream, revision }: Origin,
    position = newPosition(),
  ): void {
    const by = { actor: 'key_1', correlation_id: 'request', causation_id: null };
    const meta = { team_id: team, at, ...by, ...(facts && { facts }) };
    const id = `00000000-0000-4000-8000-${String(events.length + 1).padStart(12, '0')}`;
    events.push(freeze({ ...fact, id, version: eventVersions[fact.type], meta, stream, revision, position }));
  }

  function newPosition(): string {
    return String((written += 1)).padStart(20, '0');
  }

  /**
   * Puts the items right after the event that makes them count, as the feed does. Their later events are in streams of their own.
   */
  function keepItems(
    place: Place,
    items: readonly Submitted[],
    environment: string,
    submission = place.id,
    shard: Shard | null = null,
  ): void {
    const parent = submission === place.id ? 'RunCreated' : 'ItemsSubmitted';
    const stream = streamName('run', place.team, place.id);
    const rest = events.splice(
      events.findLastIndex((event) => event.stream === stream && event.type === parent),
    );
    const [created, ...later] = rest as [LedgerEvent, ...LedgerEvent[]];
    events.push(created);
    const { at } = created.meta;
    const ofCall = beginningFacts(shard?.attempt ?? null, environment);
    items.forEach((data, revision) => {
      const group = groupOfFailed(data);
      const facts = group === null ? ofCall : { ...ofCall, group };
      const fact = { type: 'ResultSubmitted', data, ...(facts && { facts }) } as const;
      const stream = streamName('items', place.team, submission);
      keep(fact, { team: place.team, at, stream, revision }, itemPosition(created.position, revision));
      const own = streamName('result', place.team, data.result_id);
      states.set(own, freeze(result.evolve(result.initial, { ...fact, meta: { at, facts } })));
    });
    for (const { id: _, ...event } of later) {
      keep({ ...event, facts: event.meta.facts }, { ...event, team: place.team, at }, event.position);
    }
  }

  /** As src/commands/submissions/submit-to-run.ts: that of the call, else of its run. */
  function environmentOfCall(place: Place, metadata: Metadata | null | undefined): string {
    const of = states.get(streamName('run', place.team, place.id)) as RunRecord | undefined;
    return environmentKeyIn(metadata) || environmentKeyIn(of?.metadata);
  }

  /** An item with what it replaces, and what replaces it. */
  /** `before`: the items of the run that are there. Only items of one test replace each other. */
  function related(item: Submitted, before: readonly ShardItem[], call: readonly ShardItem[]): Submitted {
    const ofTest = ({ item: { test_name } }: ShardItem) => test_name === item.test_name;
    const own = before.filter(ofTest);
    const all = [...own, ...call.filter(ofTest)];
    const one = call.find(({ id }) => id === item.result_id)!;
    const replaces = own.filter((other) => replacersOf(other, all).includes(one)).map(({ id }) => id);
    const replaced_by = replacersOf(one, all).map(({ id }) => id);
    return {
      ...item,
      ...(replaces.length > 0 && { replaces }),
      ...(replaced_by.length > 0 && { replaced_by }),
    };
  }

  function replacedIn(items: readonly ShardItem[], index: number): number {
    const tests = new Map<string, ShardItem[]>();
    for (const each of items.filter((one) => one.index === index)) {
      const { test_name } = each.item;
      tests.set(test_name, [...(tests.get(test_name) ?? []), each]);
    }
    let replaced = 0;
    for (const all of tests.values())
      replaced += all.filter((each) => replacersOf(each, all).length > 0).length;
    return replaced;
  }

  const stateOf = (place: Place) => onResult(place, (at) => update(at, {}));
  const update = (at: Instant, changes: Changes) => ({ type: 'UpdateResult', at, changes }) as const;

  const ledger = {
    events,
    steps,

    team(name = 'A team'): string {
      const id = newId('team');
      const firstKey = keyOf(newId('key'), 'owner');
      onTeam({ team: id, id }, () => ({ type: 'CreateTeam', team_id: id, name, firstKey }));
      return id;
    },
    createKey(owner: string, role: KeyRole, maker: KeyRole, person_id: string | null = null): string {
      const key = { ...keyOf(newId('key'), role), person_id };
      onTeam({ team: owner, id: owner }, (at) => ({ type: 'CreateKey', key, maker: keyMaker(maker), at }));
      return key.key_id;
    },
    revokeKey: (owner: string, key_id: string, revoker: KeyRole = 'owner') =>
      void onTeam({ team: owner, id: owner }, () => ({
        type: 'RevokeKey',
        key_id,
        revoker: keyMaker(revoker),
      })),
    takeKeyOver: (owner: string, key_id: string, { from, by }: { from: string; by: string }) =>
      void onTeam({ team: owner, id: owner }, () => ({ type: 'TakeKeyOver', key_id, from, by })),
    changeTeam: (owner: string, gate: GateChange) =>
      void onTeam({ team: owner, id: owner }, () => ({ type: 'ChangeTeam', gate })),
    /** `by`: null for the first one. */
    addMember(owner: string, role: MemberRole, by: string | null): string {
      const person_id = newId('person');
      const add = { type: 'AddMember', person_id, role, sealed: 'sealed', by } as const;
      onTeam({ team: owner, id: owner }, () => add);
      return person_id;
    },
    changeMember: (owner: string, person_id: string, role: MemberRole, by: string) =>
      void onTeam({ team: owner, id: owner }, () => ({ type: 'ChangeMemberRole', person_id, role, by })),
    removeMember: (owner: string, person_id: string, by: string) =>
      void onTeam({ team: owner, id: owner }, () => ({ type: 'RemoveMember', person_id, by })),

    project(owner: string, name = 'A project', description: string | null = null): Place {
      const place = { team: owner, id: newId('project') };
      const create = { type: 'CreateProject', project_id: place.id, name, description } as const;
      onProject(place, () => create);
      return place;
    },
    changeProject: (
      place: Place,
      changes: Omit<Extract<ProjectCommand, { type: 'ChangeProject' }>, 'type'>,
    ) => void onProject(place, () => ({ type: 'ChangeProject', ...changes })),

    /** Of a test of the project, for some seconds. */
    setKnownFailure(
      { team: owner, id: project_id }: Place,
      test_name: string,
      {
        branch = null,
        environment = null,
        seconds: lasts = 60,
        reason = 'reported',
        group,
      }: KnownFailureFields = {},
    ): void {
      const test_id = testIdOf(project_id, test_name);
      onKnownFailure({ team: owner, id: test_id }, (at) => {
        const expires_at = new Date(Date.parse(at) + lasts * 1_000).toISOString();
        const known = { test_id, project_id, test_name, reason, branch, expires_at };
        const data = { ...known, ...(environment && { environment }), ...(group && { group }) };
        return { type: 'SetKnownFailure', at, data };
      });
    },
    /** Of a group of failures, by its id. */
    changeCause: (
      { team: owner, id: project_id }: Place,
      group: string,
      wanted: ChangeCause['wanted'],
      standing: ChangeCause['standing'] = 'open',
    ) =>
      void onCause({ team: owner, id: group }, () => {
        return { type: 'ChangeCause', group, project_id, wanted, standing };
      }),
    endKnownFailure: ({ team: owner, id: project_id }: Place, test_name: string) =>
      void onKnownFailure({ team: owner, id: testIdOf(project_id, test_name) }, () => {
        return { type: 'EndKnownFailure', project_id };
      }),
    expireKnownFailure: ({ team: owner, id: project_id }: Place, test_name: string) =>
      void onKnownFailure({ team: owner, id: testIdOf(project_id, test_name) }, (at) => {
        return { type: 'ExpireKnownFailure', at };
      }),

    /** Closes the days of a project up to one. */
    closeDays(place: Place, until: string): void {
      const asked_since = '2026-11-01T00:00:00.000Z';
      onDays(place, () => ({ type: 'CloseDays', project_id: place.id, until, asked_since }));
    },
    run(parent: Place, label: string | null = null, metadata: Metadata | null = null): Within {
      const place = { team: parent.team, id: newId('run'), project: parent.id };
      const create = { type: 'CreateRun', run_id: place.id, project_id: parent.id, label, metadata } as const;
      onRun(place, () => create);
      return place;
    },
    updateRun: (place: Place, changes: Omit<Extract<RunCommand, { type: 'UpdateRun' }>, 'type' | 'at'>) =>
      void onRun(place, (at) => ({ type: 'UpdateRun', at, ...changes })),
    /** Submits a whole run at once. It is completed. */
    submit(
      parent: Place,
      items: readonly Item[],
      more: { label?: string | null; metadata?: Metadata | null; started_at?: Instant | null } = {},
    ) {
      const place = { team: parent.team, id: newId('run'), project: parent.id };
      const ids = { run_id: place.id, project_id: parent.id };
      const environment = environmentKeyIn(more.metadata);
      const facts = submittedItems({ ...ids, environment }, items);
      const counts = { items: items.length, item_counts: countsOf(facts) };
      const described = { label: null, metadata: null, started_at: null, ...more, ...counts };
      onRun(place, (at) => ({ type: 'SubmitRun', ...ids, ...described, finished_at: at }));
      keepItems(place, facts, environment);
      const results = facts.map(({ result_id, test_name }): ResultPlace => {
        return { ...place, id: result_id, run: place.id, name: test_name };
      });
      return { run: place, results };
    },
    /** One of the calls that a run with a key is made of. `taken`: it changed something. */
    call(
      parent: Place,
      run_key: string,
      items: readonly Item[],
      more: Partial<Pick<SubmitToRun, 'label' | 'metadata' | 'started_at' | 'complete' | 'shard'>> = {},
    ) {
      const place = { team: parent.team, id: runIdOf(parent.id, run_key)!, project: parent.id };
      const ids = { run_id: place.id, project_id: parent.id };
      const submission_id = newId('run');
      const { shard = null } = more;
      const environment = environmentOfCall(place, more.metadata);
      const own = submittedItems({ ...ids, submission_id, environment }, items);
      const call = own.map((item): ShardItem => ({
        ...(shard ?? { index: 0, attempt: 0 }),
        nth: Infinity,
        id: item.result_id,
        item,
        environment: resultEnvironment(environment, item.metadata),
      }));
      const there = shard === null ? [] : shardItems(events, place.id);
      const facts = shard === null ? own : own.map((item) => related(item, there, call));
      const stated = { ...place, run: place.id };
      const command = (at: Instant): SubmitToRun => ({
        type: 'SubmitToRun',
        at,
        ...ids,
        run_key,
        label: null,
        metadata: null,
        started_at: null,
        complete: false,
        ...more,
        shard,
        submission_id,
        items: items.length,
        item_counts: countsOf(facts),
        replaced: 0,
        items_hash: shard === null ? null : JSON.stringify(items),
        duration_ms: facts.reduce((sum, { execution_time_ms }) => sum + (execution_time_ms ?? 0), 0),
        finished_at: at,
      });
      const before = events.length;
      const replaced =
        shard === null ? 0 : replacedIn([...there, ...call], shard.index) - replacedIn(there, shard.index);
      onRun(place, (at) => ({ ...command(at), replaced }));
      const taken = events.length > before;
      if (taken && facts.length > 0) keepItems(place, facts, environment, submission_id, shard);
      const results = facts.map(({ result_id, test_name }): ResultPlace => {
        return { ...stated, id: result_id, name: test_name };
      });
      return { run: place, results: taken ? results : [], taken };
    },
    completeIdleRun: (place: Place) => void onRun(place, (at) => ({ type: 'CompleteIdleRun', at })),

    /** Records a result of a run, or of a project without a run. */
    result(
      parent: Within | Place,
      status: ResultStatus,
      more: { name?: string; metadata?: Metadata | null } = {},
    ) {
      const within = 'project' in parent;
      const place = {
        team: parent.team,
        id: newId('result'),
        project: within ? parent.project : parent.id,
        run: within ? parent.id : null,
        name: more.name ?? 'adds up',
      };
      record(place, status, null, more.metadata ?? null);
      return place;
    },
    /** Claims the right to retry, as `src/commands/results.ts` does when an earlier claim has lapsed. */
    claimRetry(former: ResultPlace): ResultPlace {
      const state = stateOf(former);
      const place = { ...former, id: newId('result') };
      const claim = state.life === 'present' ? state.claim : null;
      let lapsed: string | null = null;
      if (claim !== null) {
        const holder = { ...former, id: claim.by };
        const held = onResult(holder, () => ({ type: 'VoidResult', result_id: claim.by }));
        if (held.life === 'gone') lapsed = claim.by;
      }
      onResult(former, () => ({ type: 'ClaimRetry', retry_id: place.id, lapsed }));
      return place;
    },
    /** Records the result of a claimed retry. */
    recordRetry: (place: ResultPlace, former: ResultPlace, status: ResultStatus) =>
      record(place, status, former.id, null),
    retry(former: ResultPlace, status: ResultStatus): ResultPlace {
      const place = ledger.claimRetry(former);
      ledger.recordRetry(place, former, status);
      return place;
    },
    startResult: (place: Place) => void onResult(place, (at) => ({ type: 'StartResult', at })),
    finishResult: (place: Place, changes: Pick<Changes, 'status' | 'error_message' | 'metadata'> = {}) =>
      void onResult(place, (at) => ({ type: 'FinishResult', at, ...changes })),
    updateResult: (place: Place, changes: Changes) => void onResult(place, (at) => update(at, changes)),
    /** Creates an artifact with 8 s for its upload and a life of 16 s. */
    artifact(place: ResultPlace, more: Partial<NewArtifact> = {}): ArtifactPlace {
      const { team, id: result_id, project: project_id, run: run_id } = place;
      const artifact_id = newId('artifact');
      const assign = { type: 'AssignArtifact', artifact_id, result_id, project_id, run_id } as const;
      onArtifact({ team, id: artifact_id }, () => assign);
      onResult(place, (at) => {
        const after = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
        const until = { upload_expires_at: after(8_000), expires_at: after(16_000) };
        const artifact = { ...newArtifact(artifact_id), ...until, ...more };
        return { type: 'CreateArtifacts', at, maxResultAgeMs: 86_400_000, artifacts: [artifact] };
      });
      return { team, id: artifact_id, result: place };
    },
    confirmArtifact: ({ id: artifact_id, result }: ArtifactPlace, stored_as = 'v1') =>
      void onResult(result, (at) => ({ type: 'ConfirmArtifacts', at, stored: [{ artifact_id, stored_as }] })),
    deleteArtifact: ({ id: artifact_id, result }: ArtifactPlace) =>
      void onResult(result, (at) => ({ type: 'DeleteArtifact', at, artifact_id })),
    expireArtifact: ({ id: artifact_id, result }: ArtifactPlace) =>
      void onResult(result, (at) => ({ type: 'ExpireArtifact', at, artifact_id })),
    deleteResult: (place: Place) => {
      // Those that came after the result, and that it replaces: `src/commands/delete-result.ts` looks for them.
      const replaces = events.flatMap(({ type, data }) =>
        type === 'ResultSubmitted' && data.replaced_by?.includes(place.id) === true ? [data.result_id] : [],
      );
      onResult(place, () => ({ type: 'DeleteResult', replaces }));
    },

    webhook(owner: string, events: readonly Subscription[] = ['*']): Place {
      const place = { team: owner, id: newId('webhook') };
      const reserve = { type: 'ReserveWebhook', webhook_id: place.id, released: [] } as const;
      onWebhookPlaces({ team: owner, id: owner }, () => reserve);
      onWebhook(place, () => ({
        type: 'CreateWebhook',
        webhook_id: place.id,
        origin: 'https://example.org',
        sealed: 'sealed',
        events,
        project_ids: null,
      }));
      return place;
    },
    commandWebhook: (
      place: Place,
      command: Exclude<WebhookCommand, { type: 'CreateWebhook' | 'RotateSecret' }>,
    ) => void onWebhook(place, () => command),
    rotateSecret: (place: Place) =>
      void onWebhook(place, (at) => ({ type: 'RotateSecret', previous_until: at })),
  };

  function record(
    place: ResultPlace,
    status: ResultStatus,
    retry_of: string | null,
    metadata: Metadata | null,
  ) {
    const data = {
      result_id: place.id,
      project_id: place.project,
      run_id: place.run,
      test_name: place.name,
      status,
      started_at: null,
      metadata,
      attempt: retry_of === null ? 1 : 2,
      retry_of,
      run_branch: null,
      run_commit: null,
    };
    const retried = retry_of === null ? undefined : states.get(streamName('result', place.team, retry_of));
    const context = (retried as PresentResult | undefined)?.context;
    const ofRun = place.run === null ? '' : environmentOfCall({ team: place.team, id: place.run }, null);
    const environment = context?.run_environment ?? ofRun;
    const facts = beginningFacts(context?.shard_attempt ?? null, environment);
    onResult(place, (at) => ({ type: 'CreateResult', at, data, ...(facts && { facts }) }));
  }

  return ledger;
}

function beginningFacts(shard_attempt: number | null, environment: string): BeginningFacts | undefined {
  if (shard_attempt === null && environment === '') return undefined;
  return { ...(shard_attempt !== null && { shard_attempt }), ...(environment !== '' && { environment }) };
}

function newArtifact(artifact_id: string): Omit<NewArtifact, 'expires_at' | 'upload_expires_at'> {
  const described = { label: 'screen', kind: 'Image', content_type: 'image/png', size_bytes: 7 } as const;
  return { artifact_id, ...described, test_step: null, metadata: null };
}

function keyOf(key_id: string, role: KeyRole) {
  const hash = key_id.replace(/\D/g, '').padStart(64, '0');
  const origin = { person_id: null, created_by: null };
  return {
    key_id,
    name: 'A key',
    role,
    hash,
    prefix: 'tl_abcde',
    expires_at: null,
    project_ids: null,
    ...origin,
  };
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
