/**
 * What rows say of runs, projects and known failures: as of the event that is folded. It is read from their streams where it is
 * first needed, and follows the events of the scan from then on.
 */
import { LRUCache } from 'lru-cache';
import { keyOfEnvironment, type EnvironmentKey } from '../../domain/environment.js';
import { upcast } from '../../domain/event-versions.js';
import {
  streamName,
  type Instant,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { isChunk, metaIn, statusIn, type ItemChunk } from '../../domain/runs/item-chunk.js';
import { testIdOf } from '../../domain/test-history/test.js';
import { understoodRun, type UnderstoodRun } from '../../domain/understood.js';
import { streamPages, type StreamReader } from '../../log/streams.js';

/** `shards`: by submission, the shard that it brought. */
export type RunNames = Omit<UnderstoodRun, 'environment'> & {
  label: string | null;
  run_key: string | null;
  shards: ReadonlyMap<string, string>;
};

export type KnownNow = { branch: string | null; environment: EnvironmentKey | null; expires_at: Instant };

export type Names = {
  /** Reads what these events need and what is not there yet. They follow the events that were applied. */
  prepare(events: readonly RecordedEvent[]): Promise<void>;
  apply(event: RecordedEvent): void;
  run(id: string | null): RunNames | null;
  project(id: string): string;
  known(test: string): KnownNow | null;
  /** Whether an item that a higher attempt of its shard replaces from the start had been deleted before. */
  isDeleted(id: string): boolean;
};

/** Sizes, because a cache with `max` fills arrays of that length at once: 5 ms for each page of an export. */
const one = () => 1;
const RUNS_KEPT = { maxSize: 5_000, sizeCalculation: one };
const TESTS_KEPT = { maxSize: 50_000, sizeCalculation: one };

/** `knows`: known failures are asked for. */
export function openNames(log: StreamReader, team: string, { knows }: { knows: boolean }): Names {
  const runs = new LRUCache<string, RunNames>(RUNS_KEPT);
  const projects = new Map<string, string>();
  const known = new LRUCache<string, { now: KnownNow | null }>(TESTS_KEPT);
  let deleted = new Set<string>();

  const read = readNames(log, team);
  const loadRun = async (id: string, position: Position) => {
    const run = await read.run(id, position);
    if (run !== null) runs.set(id, run);
  };
  const loadProject = async (id: string, position: Position) =>
    void projects.set(id, await read.project(id, position));
  const loadKnown = async (test: string, position: Position) =>
    void known.set(test, { now: await read.known(test, position) });
  const loadDeleted = async (id: string, position: Position) => {
    if (await read.isDeleted(id, position)) deleted.add(id);
  };

  function nameProject({ project_id, name }: { project_id: string; name?: string }): void {
    if (name !== undefined) projects.set(project_id, name);
  }

  return {
    async prepare(events) {
      deleted = new Set();
      const loaded = new Set<string>();
      const once = async (
        id: string,
        load: (id: string, position: Position) => Promise<void>,
        at: Position,
      ) => {
        if (loaded.has(id)) return;
        loaded.add(id);
        await load(id, at);
      };
      // Events of this batch may change what is needed, so it is read as it was before the batch.
      const start = events[0]?.position ?? '';
      for (const event of events) {
        const { project_id, run_id } = event.data as { project_id?: string; run_id?: string | null };
        if (event.type === 'ProjectCreated') loaded.add(project_id!);
        if (event.type === 'RunCreated') loaded.add(run_id!);
        if (project_id !== undefined && !projects.has(project_id)) await once(project_id, loadProject, start);
        if (run_id != null && !runs.has(run_id)) await once(run_id, loadRun, start);
        for (const test of knows ? failedIn(event) : []) {
          if (!known.has(test)) await once(test, loadKnown, start);
        }
        if (!isChunk(event)) continue;
        for (const id of Object.values(event.data.replaced_by ?? {}).flat())
          await once(id, loadDeleted, event.position);
      }
    },
    apply(recorded) {
      const event = recorded as LedgerEvent;
      switch (event.type) {
        case 'ProjectCreated':
        case 'ProjectDescribed':
          return nameProject(event.data);
        case 'KnownFailureSet':
          return void known.set(event.data.test_id, { now: knownBy(event.data) });
        case 'KnownFailureEnded':
          return void known.set(event.data.test_id, { now: null });
        case 'RunCreated':
        case 'RunDescribed':
        case 'ItemsSubmitted': {
          const { run_id } = event.data;
          const run = runAfter(runs.get(run_id) ?? null, event);
          if (run !== null) runs.set(run_id, run);
          return;
        }
        default:
      }
    },
    run: (id) => (id === null ? null : (runs.get(id) ?? null)),
    project: (id) => projects.get(id) ?? '',
    known: (test) => known.get(test)?.now ?? null,
    isDeleted: (id) => deleted.has(id),
  };
}

/** From their streams, as of the events before a position. */
function readNames(log: StreamReader, team: string) {
  return {
    async run(id: string, position: Position): Promise<RunNames | null> {
      let run: RunNames | null = null;
      for await (const event of eventsBefore(log, streamName('run', team, id), position))
        run = runAfter(run, event);
      return run;
    },
    async project(id: string, position: Position): Promise<string> {
      let found = '';
      for await (const event of eventsBefore(log, streamName('project', team, id), position)) {
        if (event.type === 'ProjectCreated' || event.type === 'ProjectDescribed')
          found = event.data.name ?? found;
      }
      return found;
    },
    async known(test: string, position: Position): Promise<KnownNow | null> {
      let now: KnownNow | null = null;
      for await (const event of eventsBefore(log, streamName('known', team, test), position)) {
        if (event.type === 'KnownFailureSet') now = knownBy(event.data);
        if (event.type === 'KnownFailureEnded') now = null;
      }
      return now;
    },
    async isDeleted(id: string, position: Position): Promise<boolean> {
      for await (const event of eventsBefore(log, streamName('result', team, id), position))
        if (event.type === 'ResultDeleted') return true;
      return false;
    },
  };
}

/** The events of a stream up to a position. */
export async function* eventsUntil(
  log: StreamReader,
  stream: StreamName,
  position: Position,
): AsyncGenerator<LedgerEvent, void> {
  for await (const events of streamPages(log, stream)) {
    for (const event of events) {
      if (event.position > position) return;
      yield upcast(event) as LedgerEvent;
    }
  }
}

async function* eventsBefore(log: StreamReader, stream: StreamName, position: Position) {
  for await (const event of eventsUntil(log, stream, position)) if (event.position < position) yield event;
}

/** The tests that an event may set to failed. One whose name was redacted keeps its id beside the name. */
function failedIn(event: RecordedEvent): string[] {
  if (isChunk(event)) {
    const { data: chunk, meta } = event;
    const idOf = (n: number) => {
      const { test_id } = (metaIn(chunk, meta, n).facts ?? {}) as { test_id?: string };
      return test_id ?? testIdOf(chunk.project_id, nameIn(chunk, n));
    };
    return Array.from({ length: chunk.count }, (_, n) => n)
      .filter((n) => statusIn(chunk, n) === 'Failed')
      .map(idOf);
  }
  const { status, project_id, test_name } = event.data as {
    status?: string;
    project_id: string;
    test_name?: string;
  };
  const facts = (event.meta.facts ?? {}) as { test_id?: string; test_name?: string };
  const name = test_name ?? facts.test_name;
  if (status !== 'Failed' || name === undefined) return [];
  return [facts.test_id ?? testIdOf(project_id, name)];
}

function nameIn({ test_name }: ItemChunk, n: number): string {
  return typeof test_name === 'string' ? test_name : test_name[n]!;
}

function runAfter(run: RunNames | null, event: LedgerEvent): RunNames | null {
  switch (event.type) {
    case 'RunCreated': {
      const { label, run_key, metadata } = event.data;
      return { label, run_key, ...named(metadata), shards: new Map() };
    }
    case 'RunDescribed': {
      const { label, metadata } = event.data;
      if (run === null) return null;
      return {
        ...run,
        ...(label !== undefined && { label }),
        ...(metadata !== undefined && named(metadata)),
      };
    }
    case 'ItemsSubmitted': {
      const { submission_id, shard } = event.data;
      if (run === null || shard === null) return run;
      const shards = new Map(run.shards).set(submission_id, `${shard.index}/${shard.total}`);
      return { ...run, shards };
    }
    default:
      return run;
  }
}

function named(metadata: EventData['RunCreated']['metadata']): Omit<UnderstoodRun, 'environment'> {
  const { environment: _, ...names } = understoodRun(metadata);
  return names;
}

function knownBy({ branch, environment, expires_at }: EventData['KnownFailureSet']): KnownNow {
  return { branch, environment: environment == null ? null : keyOfEnvironment(environment), expires_at };
}
