/** What things were: by the events of their streams up to a position of the log, and no further. */
import { logPosition, type Position, type RecordedEvent, type StreamName } from '../../domain/event.js';
import type { LedgerEvent, ProjectEvent, ResultEvent, RunEvent } from '../../domain/events.js';
import { project, type Project, type ProjectRecord } from '../../domain/project.js';
import { result, type PresentResult, type Result } from '../../domain/result.js';
import { run, type Run, type RunRecord } from '../../domain/run.js';
import type { EventLog } from '../../ports/event-log.js';
import { wholeResult, wholeStream } from './whole-stream.js';

/** Each null where it was not there. */
export type StateAsOf = {
  result(stream: StreamName, at: Position): Promise<PresentResult | null>;
  run(stream: StreamName, at: Position): Promise<RunRecord | null>;
  project(stream: StreamName, at: Position): Promise<ProjectRecord | null>;
};

export function openStateAsOf(log: Pick<EventLog, 'readStream'>): StateAsOf {
  const streams = new Map<StreamName, Promise<RecordedEvent[]>>();

  /** Of runs and projects, which many ask for: results are as many as those who ask. */
  function eventsOf(stream: StreamName): Promise<RecordedEvent[]> {
    let events = streams.get(stream);
    if (events === undefined) streams.set(stream, (events = wholeStream(log, stream)));
    return events;
  }

  async function until(stream: StreamName, at: Position): Promise<RecordedEvent[]> {
    return (await eventsOf(stream)).filter(isBy(at));
  }

  return {
    async result(stream, at) {
      const events = await wholeResult(log, stream, isBy(at));
      const state = events.reduce<Result>(
        (now, event) => result.evolve(now, event as LedgerEvent<ResultEvent>),
        result.initial,
      );
      return state.life === 'present' ? state : null;
    },

    async run(stream, at) {
      const events = await eventsOf(stream);
      const seen = Math.max((await until(stream, at)).length, submissionOf(events));
      const state = events
        .slice(0, seen)
        .reduce<Run>((now, event) => run.evolve(now, event as LedgerEvent<RunEvent>), run.initial);
      return state.life === 'present' ? state : null;
    },

    async project(stream, at) {
      const state = (await until(stream, at)).reduce<Project>(
        (now, event) => project.evolve(now, event as LedgerEvent<ProjectEvent>),
        project.initial,
      );
      return state.life === 'present' ? state : null;
    },
  };
}

/** Also of what lies at an item's position: an item is there with its run. */
function isBy(at: Position): (event: RecordedEvent) => boolean {
  const limit = logPosition(at);
  return ({ position }) => position <= limit;
}

/** How many events were appended with a run that was submitted whole: nobody ever saw it without them. */
function submissionOf(events: readonly RecordedEvent[]): number {
  const [created] = events as readonly LedgerEvent[];
  if (created?.type !== 'RunCreated' || created.data.items === 0) return 0;
  return events.findIndex(({ type }) => type === 'RunCompleted') + 1;
}
