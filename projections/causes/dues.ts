/**
 * When a run must look whether causes are fixed. A fold finds documents by ids alone, so the causes of a project that are not
 * fixed are in lists by the day on which they may be due. A cause that fails again stays where it is until that day:
 * a failure writes none of these documents, unless it opens its cause.
 */
import { dayOf } from '../../src/domain/instant.js';
import { dueAt, earliestDue, type Standing } from '../../src/domain/causes/standing.js';
import type { Instant } from '../../src/domain/event.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import { causeDocuments, type CauseDocument } from './cause-documents.js';
import { groupId } from '../history/failure-scopes.js';

/** By project id. No cause in the lists of a day is due before the instant of that day. */
type DueDaysDocument = { days: Readonly<Record<string, Instant>> };

/** By project id, `#`, day, `#` and the last character of the groups, so that a day with thousands has short lists. */
type DueDocument = { groups: readonly string[] };

export const dueDaysDocuments = collection<DueDaysDocument>({
  name: 'due_days',
  ids: 'project',
  indexes: [],
});
export const dueDocuments = collection<DueDocument>({ name: 'due_causes', ids: 'project', indexes: [] });

const LAST_CHARACTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** What `watch` gets and puts. `from`: as for `watch`. */
export function watchRefs(project: string, group: string, from: Instant): DocumentRef[] {
  return [dueDaysDocuments.at(project), dueDocuments.at(listId(project, dayOf(earliestDue(from)), group))];
}

/** Has runs look after a cause that opens, or that somebody opens. It is not due before its time from then on. */
export function watch(documents: Documents, project: string, group: string, from: Instant): void {
  add(documents, project, group, earliestDue(from));
}

/** The causes of a project that may be due at the end of a run, and all that `takeDue` puts. */
export function* dueRefs(
  documents: ReadableDocuments,
  project: string,
  at: Instant,
): Generator<DocumentRef[]> {
  const days = dueDays(documents, project, at);
  if (days.length === 0) return;
  yield days.flatMap((day) => listIds(project, day).map((id) => dueDocuments.at(id)));
  const groups = groupsOn(documents, project, days);
  yield groups.map((group) => causeDocuments.at(groupId(project, group)));
  yield groups.flatMap((group) => {
    const cause = documents.get(causeDocuments, groupId(project, group));
    return cause === null ? [] : dueDocuments.at(listId(project, dayOf(dueAt(cause)), group));
  });
}

/** Gives each cause that is not fixed and may be due to `settle`, and has later runs look after those that stay as they are. */
export function takeDue(
  documents: Documents,
  project: string,
  at: Instant,
  settle: (id: string, cause: CauseDocument) => Standing,
): void {
  const days = dueDays(documents, project, at);
  if (days.length === 0) return;
  const groups = groupsOn(documents, project, days);
  for (const id of days.flatMap((day) => listIds(project, day))) {
    if (documents.get(dueDocuments, id) !== null) documents.remove(dueDocuments, id);
  }
  const others = { ...documents.get(dueDaysDocuments, project)!.days } as Record<string, Instant>;
  for (const day of days) delete others[day];
  documents.put(dueDaysDocuments, project, { days: others } satisfies DueDaysDocument);
  for (const group of groups) {
    const id = groupId(project, group);
    const cause = documents.get(causeDocuments, id);
    if (cause === null || cause.state === 'fixed') continue;
    const after = settle(id, cause);
    if (after.state !== 'fixed') add(documents, project, group, dueAt(after));
  }
}

function add(documents: Documents, project: string, group: string, due: Instant): void {
  const day = dayOf(due);
  const id = listId(project, day, group);
  const groups = documents.get(dueDocuments, id)?.groups ?? [];
  if (!groups.includes(group)) {
    documents.put(dueDocuments, id, { groups: [...groups, group] } satisfies DueDocument);
  }
  const days = documents.get(dueDaysDocuments, project)?.days ?? {};
  const present = days[day];
  if (present !== undefined && present <= due) return;
  documents.put(dueDaysDocuments, project, { days: { ...days, [day]: due } } satisfies DueDaysDocument);
}

function dueDays(documents: ReadableDocuments, project: string, at: Instant): string[] {
  const days = documents.get(dueDaysDocuments, project)?.days ?? {};
  return Object.keys(days)
    .filter((day) => days[day]! < at)
    .sort();
}

function groupsOn(documents: ReadableDocuments, project: string, days: readonly string[]): string[] {
  const lists = days.flatMap((day) => listIds(project, day));
  return [...new Set(lists.flatMap((id) => documents.get(dueDocuments, id)?.groups ?? []))];
}

function listIds(project: string, day: string): string[] {
  return LAST_CHARACTERS.split('').map((last) => `${project}#${day}#${last}`);
}

function listId(project: string, day: string, group: string): string {
  return `${project}#${day}#${group.at(-1)}`;
}
