/**
 * What a team has forgotten, by id and field, without what it was. A backup that is older has it still, and a restore forgets it
 * again (`restore-forgotten.ts`).
 */
import { START, type Position, type RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { isPurged } from '../domain/redaction/purged.js';
import { teamStreams } from '../domain/teams/team-streams.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { Place } from './find-text.js';
import { notedPlaces } from './noted-places.js';

/** `event`: by which it was forgotten. A log that has it has forgotten it already. `redaction`: of a text, where it is one. */
export type Forgotten = {
  team: string;
  event: string;
  position: Position;
  at: string;
  what: 'redacted' | 'deleted' | 'purged';
  type: Place['type'];
  id: string;
  fields: readonly string[];
  reason: string | null;
  redaction: string | null;
};

const types = [
  'RunRedacted',
  'ResultRedacted',
  'TextRedacted',
  'ResultDeleted',
  'RunPurged',
  'ProjectPurged',
];
const EVENTS = 1_000;

/** Page by page. */
export async function* forgottenBy(
  { storedLog, state }: { storedLog: Pick<EventLog, 'readAll'>; state: Pick<State, 'list'> },
  team: string,
): AsyncGenerator<Forgotten[], void> {
  const filter = { streams: teamStreams(team), types };
  for (let after = START; ;) {
    const batch = await storedLog.readAll({ after, limit: EVENTS, filter });
    for (const event of batch.events) {
      const common = { team, event: event.id, position: event.position, at: event.meta.at };
      if (event.type === 'TextRedacted') yield* ofText(state, event as LedgerEvent<'TextRedacted'>, common);
      else {
        const found = forgottenIn(event);
        if (found !== null) yield [{ ...common, ...found }];
      }
    }
    after = batch.position;
    if (batch.caughtUp) return;
  }
}

type Common = Pick<Forgotten, 'team' | 'event' | 'position' | 'at'>;

async function* ofText(
  state: Pick<State, 'list'>,
  { data: { redaction_id: redaction, reason } }: LedgerEvent<'TextRedacted'>,
  common: Common,
): AsyncGenerator<Forgotten[], void> {
  for await (const places of notedPlaces(state, redaction))
    yield places.map(({ field, ...thing }) => ({
      ...common,
      what: 'redacted',
      ...thing,
      fields: [field],
      reason,
      redaction,
    }));
}

function forgottenIn(event: RecordedEvent): Omit<Forgotten, keyof Common> | null {
  const { type, data } = event as LedgerEvent;
  const none = { fields: [], reason: null, redaction: null };
  if (type === 'RunPurged') return { ...none, what: 'purged', type: 'run', id: data.run_id };
  if (type === 'ProjectPurged') return { ...none, what: 'purged', type: 'project', id: data.project_id };
  // It went with its run or project.
  if (isPurged(event)) return null;
  if (type === 'ResultDeleted') return { ...none, what: 'deleted', type: 'result', id: data.result_id };
  if (type === 'ResultRedacted') return { ...none, ...told(data), type: 'result', id: data.result_id };
  if (type === 'RunRedacted') return { ...none, ...told(data), type: 'run', id: data.run_id };
  return null;
}

function told({ fields, reason }: { fields: readonly string[]; reason: string }) {
  return { what: 'redacted', fields, reason } as const;
}
