/**
 * What happened to groups and tests of a project, by day, for its digests. Only what is rare is counted here: the runs of a day are
 * in the statistics already.
 */
import { dayOf } from '../../src/domain/instant.js';
import { laterDay, weekOf, type Day } from '../../src/domain/statistics/days.js';
import { countNames } from '../../src/domain/statistics/day-rows.js';
import type { Instant } from '../../src/domain/event.js';
import type { EventType, LedgerEvent } from '../../src/domain/events.js';
import {
  noDigestCounts,
  type DayNumbers,
  type DigestCounts,
  type DigestPart,
} from '../../src/domain/messages/digest.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import type { HistoryChange, HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { failureDocuments } from '../history/failure-documents.js';
import { followedFrom } from '../history/followed.js';
import { formerKnownFailure } from '../history/known-failures.js';
import { testDocuments } from '../history/tests.js';
import { transitionsFrom } from '../history/transitions.js';
import { ofResults, projection, type Handler } from '../projection.js';
import {
  lostDayDocuments,
  lostDayId,
  statisticsWeekDocuments,
  weekId,
} from '../statistics/statistics-documents.js';
import {
  failureOwnerDocuments,
  failureOwnerRefs,
  failureOwnersRef,
  ownerOfFailures,
  putFailureOwner,
} from './failure-owners.js';

/** By project id, `#` and day of UTC: what was recorded on it. */
type DigestDayDocument = { parts: readonly DigestPart[] };

/** By project id, `#` and day of UTC: the tests of which a known failure ends on it, and whose they are. */
type EndingDocument = { tests: Readonly<Record<string, string | null>> };

const digestDayDocuments = collection<DigestDayDocument>({
  name: 'digest_days',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});
const endingDocuments = collection<EndingDocument>({
  name: 'known_ending',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});

/** Of one day: what is of more owners counts as that of none. */
const MOST_OWNERS = 200;
/** Of one day: more known failures are not counted. */
const MOST_ENDING = 1_000;

type Counted = Exclude<keyof DigestPart, 'owner' | 'known_ending' | 'lost_ms'>;

const none: readonly DocumentRef[] = [];

const counting: Handler<EventType, HistoryChange> = {
  touches: () => none,
  follows(documents, event) {
    const owners = failureOwnerRefs(documents, event);
    const days = countedIn(documents, event).length === 0 ? null : [digestDayDocuments.at(dayIdOf(event))];
    return owners === null && days === null ? null : [[...(owners ?? none), ...(days ?? none)]];
  },
  apply(documents, event) {
    putFailureOwner(documents, event);
    for (const [name, owner] of countedIn(documents, event)) add(documents, dayIdOf(event), name, owner);
  },
};

/** Goes after all parts from which something follows. */
export const digests = projection<HistoryChange>({
  name: 'digests',
  version: 2,
  collections: [digestDayDocuments, endingDocuments, failureOwnerDocuments],
  on: {
    ...ofResults(counting),
    RunCompleted: counting,
    KnownFailureSet: {
      touches: ({ data }) => [endingDocuments.at(endingId(data.project_id, data.expires_at))],
      follows: (_, event) => formerRefs(event),
      apply(documents, event) {
        const { test_id, project_id, expires_at } = event.data;
        removeFormer(documents, event);
        const id = endingId(project_id, expires_at);
        const tests = documents.get(endingDocuments, id)?.tests ?? {};
        if (Object.keys(tests).length >= MOST_ENDING) return;
        const owner = documents.get(testDocuments, test_id)?.owner ?? null;
        documents.put(endingDocuments, id, { tests: { ...tests, [test_id]: owner } });
      },
    },
    KnownFailureEnded: {
      touches: () => [],
      // One whose time is over still ends on its day, for a digest that comes late.
      follows: (_, event) => (event.data.ended === 'expired' ? null : formerRefs(event)),
      apply(documents, event) {
        if (event.data.ended !== 'expired') removeFormer(documents, event);
      },
    },
    DayClosed: {
      touches: ({ data: { project_id, day } }) => [
        digestDayDocuments.at(dayId(project_id, day)),
        endingDocuments.at(dayId(project_id, laterDay(day, 1))),
        statisticsWeekDocuments.at(weekId(project_id, weekOf(day), null)),
        lostDayDocuments.at(lostDayId(project_id, day)),
      ],
      follows(documents, { data: { project_id, day } }) {
        const lost = lostOn(documents, project_id, day);
        return lost.length === 0 ? null : [lost.map(([ordinal]) => failureOwnersRef(project_id, ordinal))];
      },
      apply: () => undefined,
    },
  },
});

/** Of an event that closes a day. */
export function numbersOf(
  documents: ReadableDocuments,
  { data: { project_id, day, due_at } }: LedgerEvent<'DayClosed'>,
): DayNumbers {
  const parts = [...(documents.get(digestDayDocuments, dayId(project_id, day))?.parts ?? [])];
  const { tests = {} } = documents.get(endingDocuments, dayId(project_id, laterDay(day, 1))) ?? {};
  for (const owner of Object.values(tests)) addTo(parts, { name: 'known_ending', owner });
  for (const [ordinal, by] of lostOn(documents, project_id, day)) {
    const owner = ownerOfFailures(documents, project_id, ordinal);
    // What is lost of all is in the sum of the project.
    if (owner !== null) addTo(parts, { name: 'lost_ms', owner, by });
  }
  const { rows = [] } = documents.get(statisticsWeekDocuments, weekId(project_id, weekOf(day), null)) ?? {};
  const own = rows.filter((row) => row.day === day);
  const sum = (name: (typeof countNames)[number]) =>
    own.reduce((all, { counts }) => all + counts[countNames.indexOf(name)]!, 0);
  const runs = countNames
    .filter((name) => name.startsWith('runs_'))
    .reduce((all, name) => all + sum(name), 0);
  return { day, due_at, runs, lost_ms: sum('lost_ms'), parts };
}

/** The tests that lost time on a day, by their ordinals. */
function lostOn(documents: ReadableDocuments, projectId: string, day: Day): [ordinal: number, ms: number][] {
  const { tests = {} } = documents.get(lostDayDocuments, lostDayId(projectId, day)) ?? {};
  return Object.entries(tests).map(([ordinal, ms]) => [Number(ordinal), ms]);
}

const nothing: [Counted, string | null][] = [];

/** What follows from an event, and whose it is. Nothing, for nearly all events. */
function countedIn(documents: ReadableDocuments, event: HistoryEvent): [Counted, string | null][] {
  const transitions = transitionsFrom(event);
  const followed = followedFrom(event);
  if (followed.length === 0 && transitions.length === 0) return nothing;
  const counted: [Counted, string | null][] = [];
  if (transitions.some(({ type }) => type === 'TestBecameFlaky'))
    counted.push(['flaky', event.change!.owner]);
  for (const one of followed) {
    if (one.type === 'GroupWentAway') counted.push(['fixed', one.about.owner]);
    if (one.type === 'GroupAppeared')
      counted.push(['new', documents.get(failureDocuments, one.data.result_id)?.owner ?? null]);
  }
  return counted;
}

function add(documents: Documents, id: string, name: Counted, owner: string | null): void {
  const parts = [...(documents.get(digestDayDocuments, id)?.parts ?? [])];
  addTo(parts, { name, owner });
  documents.put(digestDayDocuments, id, { parts });
}

/** Changes the list, and none of its parts. */
function addTo(
  parts: DigestPart[],
  { name, owner, by = 1 }: { name: keyof DigestCounts; owner: string | null; by?: number },
): void {
  const isKnown = parts.length < MOST_OWNERS || parts.some((part) => part.owner === owner);
  const whose = isKnown ? owner : null;
  const at = parts.findIndex((part) => part.owner === whose);
  const before = parts[at] ?? { owner: whose, ...noDigestCounts };
  const after = { ...before, [name]: before[name] + by };
  if (at === -1) parts.push(after);
  else parts[at] = after;
}

function formerRefs(event: LedgerEvent<'KnownFailureSet' | 'KnownFailureEnded'>): DocumentRef[][] | null {
  const former = formerKnownFailure(event);
  return former === null ? null : [[endingDocuments.at(endingId(event.data.project_id, former.expires_at))]];
}

function removeFormer(
  documents: Documents,
  event: LedgerEvent<'KnownFailureSet' | 'KnownFailureEnded'>,
): void {
  const { test_id, project_id } = event.data;
  const former = formerKnownFailure(event);
  const id = former === null ? null : endingId(project_id, former.expires_at);
  const present = id === null ? null : documents.get(endingDocuments, id);
  if (id === null || present === null) return;
  const { [test_id]: _, ...tests } = present.tests;
  if (Object.keys(tests).length > 0) documents.put(endingDocuments, id, { tests });
  else documents.remove(endingDocuments, id);
}

/** The day on which an event of a project was recorded. */
function dayIdOf({ data, meta }: HistoryEvent): string {
  return dayId((data as { project_id: string }).project_id, dayOf(meta.at));
}

function endingId(project: string, expiresAt: Instant): string {
  return dayId(project, dayOf(expiresAt));
}

function dayId(project: string, day: Day): string {
  return `${project}#${day}`;
}
