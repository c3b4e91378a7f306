/**
 * The documents of the read models, computed without folding: each field is looked up in the whole history, each
 * count is counted. Slow, plain, and written from the contract, not from the projections.
 */
import type { Counts } from '../../src/domain/counts.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { environmentKeyIn } from '../../src/domain/environment.js';
import type { Metadata } from '../../src/domain/runs/run.js';
import { replacersOf, shardItems } from '../domain/shards.js';
import { auditOf } from './plain-audit.js';
import { having, type Plain } from './plain-history.js';
import { usageOf } from './plain-usage.js';

/** `<collection>/<id>` → the document. */
export function modelOf(events: readonly LedgerEvent[]): Map<string, object> {
  const history = events.map(({ type, position, data, meta }): Plain => ({
    type,
    position,
    at: meta.at,
    team: meta.team_id,
    meta,
    data: data as unknown as Plain['data'],
  }));
  const documents = auditOf(events);
  for (const { type, data, team: team_id, position } of history) {
    if (type === 'TeamSettingsChanged') {
      documents.set(`team_settings/${team_id}`, { team_id, gate: data['gate'], position });
    }
    if (type === 'ProjectCreated') {
      const id = data['project_id'] as string;
      documents.set(`projects/${id}`, projectOf(history, id));
      const usage = usageOf(history, id);
      if (usage !== null) documents.set(`usage/${id}`, usage);
    }
    if (type === 'RunCreated') {
      documents.set(`runs/${data['run_id'] as string}`, runOf(history, data['run_id']));
      const shards = shardsOf(history, data['run_id']);
      if (shards !== null) documents.set(`shards/${data['run_id'] as string}`, shards);
    }
    if (begins(type) && isThere(history, data['result_id'])) {
      documents.set(`results/${data['result_id'] as string}`, resultOf(history, data['result_id']));
    }
    if (type === 'ArtifactCreated') {
      const artifact = artifactOf(history, data['artifact_id']);
      if (artifact !== null) documents.set(`artifacts/${data['artifact_id'] as string}`, artifact);
    }
    if (type === 'WebhookCreated') {
      const hook = webhookOf(history, data['webhook_id']);
      if (hook !== null) documents.set(`webhooks/${data['webhook_id'] as string}`, hook);
    }
  }
  return documents;
}

/** A result's first event: recorded by itself, or submitted with its run. */
function begins(type: string): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted';
}

function projectOf(history: readonly Plain[], id: unknown): object {
  const own = having(history, 'project_id', id).filter(({ type }) => type.startsWith('Project'));
  return {
    ...originOf(own),
    project_id: id,
    name: latest(own, 'name'),
    description: latest(own, 'description'),
    default_branch: latest(own, 'default_branch'),
    repo_url: latest(own, 'repo_url') ?? null,
    gate: latest(own, 'gate') ?? {},
    retention: latest(own, 'retention') ?? {},
    status: latest(own, 'status') ?? 'Active',
    position: own.at(-1)?.position,
  };
}

function runOf(history: readonly Plain[], id: unknown): object {
  const silent = ['ResultRetryClaimed', 'ArtifactAssigned', 'ArtifactDeleted', 'RunFoundIncomplete'];
  const all = having(history, 'run_id', id).filter(({ type }) => !silent.includes(type));
  const own = all.filter(({ type }) => /^(Run|Items)/.test(type));
  const turn = own.findLast(({ type }) => type.startsWith('Run') && type !== 'RunDescribed')?.type;
  const calls = own.filter(({ type }) => type === 'ItemsSubmitted');
  const sent = calls.reduce((sum, { data }) => sum + Number(data['items']) - Number(data['replaced']), 0);
  const shard = calls.at(-1)?.data['shard'] as { total: number } | null | undefined;
  const listed = resultsIn(history, id);
  const replaced = listed.filter((each) => replacersIn(history, each).length > 0).length;
  const ends = own.filter(({ type }) => type === 'RunCompleted');
  const end = ends.at(-1);
  const start = own.findLast(({ type }) => type === 'RunStarted');
  const standing = countsOf(counting(history, id).filter((each) => supersederOf(history, each) === null));
  return {
    ...originOf(own),
    updated_at: own.at(-1)?.at,
    test_run_id: id,
    project_id: latest(own, 'project_id'),
    run_key: own[0]?.data['run_key'],
    ...(shard != null && { shard_total: shard.total }),
    ...(replaced > 0 && { replaced }),
    ...(own.some(({ data }) => 'baseline' in data) && { baseline: latest(own, 'baseline') }),
    label: latest(own, 'label'),
    metadata: latest(own, 'metadata'),
    ...codeIn(latest(own, 'metadata')),
    status: { RunStarted: 'Running', RunCompleted: 'Completed' }[turn ?? ''] ?? 'Pending',
    started_at: start?.data['started_at'] ?? null,
    finished_at: end !== undefined && end.position > (start?.position ?? '') ? end.data['finished_at'] : null,
    completions: ends.length,
    completed_by: turn === 'RunCompleted' ? end?.data['reason'] : null,
    items: Number(own[0]?.data['items']) + sent,
    counts: counted(history, id),
    count_snapshot: end && { ...counted(upTo(history, end), id), at: end.at },
    ...(end === undefined && { count_snapshot: null }),
    standing,
    outcome: standing.failed
      ? 'failed'
      : standing.passed || standing.known_fail
        ? 'passed'
        : standing.skipped
          ? 'skipped'
          : null,
    active_at: all.at(-1)?.at,
    position: all.at(-1)?.position,
  };

  function counted(events: readonly Plain[], run: unknown): Counts {
    return countsOf(counting(events, run));
  }

  function counting(events: readonly Plain[], run: unknown) {
    return resultsIn(events, run).filter((each) => replacersIn(events, each).length === 0);
  }

  function countsOf(results: readonly { status: unknown }[]): Counts {
    const having = (status: string) => results.filter((each) => each.status === status).length;
    return {
      total: results.length,
      pending: having('Pending'),
      running: having('Running'),
      passed: having('Passed'),
      failed: having('Failed'),
      skipped: having('Skipped'),
      known_fail: having('KnownFail'),
    };
  }
}

/** The histories have no texts that are too long. */
function codeIn(metadata: unknown): object {
  const {
    branch = null,
    commit = null,
    pull_request = null,
    build = null,
  } = (metadata ?? {}) as Record<string, unknown>;
  const environment_key = environmentKeyIn(metadata as Metadata | null);
  return { branch, commit, pull_request, build, environment_key };
}

function resultOf(history: readonly Plain[], id: unknown): object {
  const changes = ['ResultCreated', 'ResultSubmitted', 'ResultStarted', 'ResultFinished', 'ResultUpdated'];
  const own = having(history, 'result_id', id).filter(({ type }) => changes.includes(type));
  const [birth] = own;
  const { superseded_by: by = null, supersedes = [] } = birth!.data as {
    superseded_by?: unknown;
    supersedes?: [];
  };
  const replacers = allReplacersOf(history, id);
  const isDeletion = ({ type }: Plain) => type === 'ResultDeleted';
  // One that was deleted before the result came never replaced it.
  const everReplaced = (other: unknown) =>
    isThere(upTo(history, birth!), other) || birthOf(history, other)!.position > birth!.position;
  const retries = [
    ...having(history, 'retry_of', id).filter(({ type }) => /ResultCreated|ResultDeleted/.test(type)),
    ...having(history, 'result_id', by).filter(isDeletion),
    ...replacers
      .flatMap((other) => having(history, 'result_id', other))
      .filter(
        (each) =>
          each.type === 'ResultSubmitted' || (isDeletion(each) && everReplaced(each.data['result_id'])),
      )
      .filter(({ position }) => position > birth!.position),
  ];
  const replaced_by = replacersIn(history, { id });
  // A start forgets the end, whatever came before it.
  const start = own.findLast(({ type }) => type === 'ResultStarted');
  const since = own.filter(({ position }) => position > (start?.position ?? ''));
  return {
    // The document is the state of the decider. Later claims are not folded into the views, so only a claim by the
    // first event counts.
    life: 'present',
    claim: by === null ? null : { by, at: birth?.at },
    ...(supersedes.length > 0 && { supersedes }),
    ...(birth!.data['replaces'] !== undefined && { replaces: birth!.data['replaces'] }),
    ...(birth!.meta.facts?.environment !== undefined && { call_environment: birth!.meta.facts.environment }),
    ...(replaced_by.length > 0 && { replaced_by }),
    ...originOf(own),
    updated_at: own.at(-1)?.at,
    test_result_id: id,
    project_id: latest(own, 'project_id'),
    test_run_id: latest(own, 'run_id'),
    test_name: latest(own, 'test_name'),
    status: latest(own, 'status'),
    error_message: latest(own, 'error_message') ?? null,
    metadata: latest(own, 'metadata'),
    started_at: latest(own, 'started_at'),
    finished_at: latest(since, 'finished_at') ?? null,
    execution_time_ms: latest(since, 'execution_time_ms') ?? null,
    attempt: latest(own, 'attempt'),
    retry_of: latest(own, 'retry_of') ?? null,
    superseded_by: supersederOf(history, { id }),
    position: [...own, ...retries]
      .map(({ position }) => position)
      .sort()
      .at(-1),
  };
}

/** Null if it was deleted. */
function artifactOf(history: readonly Plain[], id: unknown): object | null {
  const own = history.filter(({ type, data }) => type !== 'ArtifactAssigned' && data['artifact_id'] === id);
  if (own.some(({ type }) => type === 'ArtifactDeleted')) return null;
  const [announced] = own;
  const described = ['label', 'kind', 'content_type', 'size_bytes', 'test_step', 'metadata'];
  const until = ['expires_at', 'upload_expires_at'];
  return {
    ...originOf(own),
    artifact_id: id,
    test_result_id: latest(own, 'result_id'),
    test_run_id: latest(own, 'run_id'),
    project_id: latest(own, 'project_id'),
    ...Object.fromEntries([...described, ...until].map((name) => [name, announced?.data[name]])),
    stored_as: latest(own, 'stored_as') ?? null,
    confirmed: own.some(({ type }) => type === 'ArtifactConfirmed'),
    position: own.at(-1)?.position,
  };
}

/** Null if it was deleted. */
function webhookOf(history: readonly Plain[], id: unknown): object | null {
  const silent = ['WebhookReserved', 'WebhookPinged', 'WebhookSecretRotated'];
  const own = history.filter(({ type, data }) => data['webhook_id'] === id && !silent.includes(type));
  if (own.some(({ type }) => type === 'WebhookDeleted')) return null;
  const turn = own.findLast(({ type }) => /Created|Enabled|Disabled/.test(type));
  const reached = own.findLast(({ data }) => Object.hasOwn(data, 'project_ids'));
  return {
    ...originOf(own),
    webhook_id: id,
    origin: latest(own, 'origin'),
    sealed: latest(own, 'sealed'),
    events: latest(own, 'events'),
    project_ids: latest(own, 'project_ids'),
    reached_since: { position: reached?.position, at: reached?.at },
    enabled: turn?.type !== 'WebhookDisabled',
    disabled_reason: turn?.data['reason'] ?? null,
    since: own.findLast(({ type }) => /Created|Enabled/.test(type))?.position,
    position: own.at(-1)?.position,
  };
}

/** The value by the newest event that has the field. */
function latest(own: readonly Plain[], field: string): unknown {
  return own.findLast(({ data }) => Object.hasOwn(data, field))?.data[field];
}

function originOf(own: readonly Plain[]): object {
  return { team_id: own[0]?.team, created_position: own[0]?.position, created_at: own[0]?.at };
}

function upTo(history: readonly Plain[], { position }: Plain): Plain[] {
  return history.filter((event) => event.position <= position);
}

function birthOf(history: readonly Plain[], id: unknown): Plain | undefined {
  return having(history, 'result_id', id).find(({ type }) => begins(type));
}

function isThere(history: readonly Plain[], id: unknown): boolean {
  const own = having(history, 'result_id', id);
  return own.some(({ type }) => begins(type)) && !own.some(({ type }) => type === 'ResultDeleted');
}

function resultsIn(history: readonly Plain[], run: unknown): { id: unknown; status: unknown }[] {
  return having(history, 'run_id', run)
    .filter(({ type }) => begins(type))
    .map(({ data }) => data['result_id'])
    .filter((id) => isThere(history, id))
    .map((id) => ({ id, status: latest(having(history, 'result_id', id), 'status') }));
}

/** The result that retried this one, or was submitted with it as a later attempt, unless that was deleted. */
function supersederOf(history: readonly Plain[], { id }: { id: unknown }): unknown {
  const retries = having(history, 'retry_of', id).filter(({ type }) => type === 'ResultCreated');
  const birth = birthOf(history, id);
  const superseders = [birth?.data['superseded_by'], ...retries.map(({ data }) => data['result_id'])];
  return superseders.find((each) => each != null && isThere(history, each)) ?? null;
}

/** The results of higher attempts of the shard that replace a result, as long as they exist. */
function replacersIn(history: readonly Plain[], { id }: { id: unknown }): unknown[] {
  return allReplacersOf(history, id).filter((each) => isThere(history, each));
}

function allReplacersOf(history: readonly Plain[], id: unknown): unknown[] {
  const birth = birthOf(history, id);
  if (birth?.type !== 'ResultSubmitted') return [];
  const run = birth.data['run_id'] as string;
  const all = shardItems(having(history, 'run_id', run) as never, run);
  const one = all.find((each) => each.id === id);
  return one === undefined ? [] : replacersOf(one, all).map((each) => each.id);
}

function shardsOf(history: readonly Plain[], run: unknown): object | null {
  const own = having(history, 'run_id', run).filter(
    ({ type, data }) => type === 'ItemsSubmitted' && data['shard'] !== null,
  );
  if (own.length === 0) return null;
  const ends = having(history, 'run_id', run).filter(({ type }) => type === 'ItemsReceived');
  return {
    team_id: own[0]!.team,
    run_id: run,
    received: own.map(({ data, at }) => {
      const { index, attempt } = data['shard'] as { index: number; attempt: number };
      return { index, attempt, results: data['items'], duration_ms: data['duration_ms'], at };
    }),
    position: ends.at(-1)?.position,
  };
}
