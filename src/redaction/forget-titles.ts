/**
 * The titles of groups of failures that a redacted result brought. A title is a content of its run or submission, and may be
 * that of other results too: it goes at once unless one of those is not redacted. The group is then shown by the title of another member.
 */
import { failureDocuments } from '../../projections/history/failure-documents.js';
import { sightingId } from '../../projections/history/failure-scopes.js';
import { history } from '../../projections/history/history.js';
import { streamName, type EventMeta } from '../domain/event.js';
import { bulkOriginOf } from '../domain/ids.js';
import type { FailureGroup } from '../domain/test-history/result-facts.js';
import { readBulkOrigin, streamPages, type StreamReader } from '../log/streams.js';
import type { Contents } from '../ports/contents.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';

export type TitleStores = {
  log: StreamReader;
  historyViews: ViewReader;
  contents: Pick<Contents, 'marked' | 'question' | 'release'>;
};

type OfRun = { team: string; run: string; id: string };

/** Others that are looked at, the oldest first. Beyond them a title goes: it is masked, and not shown by mistake. */
const OTHERS = 500;

/** The result is marked. The read models show its failure. */
export async function forgetTitles(stores: TitleStores, { team, run, id }: OfRun): Promise<void> {
  const groups = await groupsOf(stores.log, team, id);
  if (groups.length === 0) return;
  /** By holder. A result that comes meanwhile with the same title keeps it anew. */
  const questions = new Map<string, string>();
  const ask = async (holder: string) => {
    if (!questions.has(holder)) questions.set(holder, (await stores.contents.question(holder)).id);
  };
  const holderOf = (result: string) => bulkOriginOf(result)?.submission_id ?? run;
  for (const holder of [run, holderOf(id)]) await ask(holder);
  const views = typedViews(stores.historyViews, history);
  const gone: string[] = [];
  for (const { id: group, title } of groups) {
    const { items } = await views.find(failureDocuments, {
      where: { listed_in: sightingId(run, group) },
      sort: { field: 'placed', direction: 'ascending' },
      limit: OTHERS,
    });
    const others = items.filter((each) => each.group.title === title).map(({ result_id }) => result_id);
    const marked = await stores.contents.marked(others);
    if (!others.every((other) => marked.has(other))) continue;
    for (const other of others) await ask(holderOf(other));
    gone.push(title);
  }
  if (gone.length === 0) return;
  for (const [holder, question] of questions) await stores.contents.release(holder, gone, question);
}

/** Those that its events have set, each title once. */
async function groupsOf(log: StreamReader, team: string, id: string): Promise<FailureGroup[]> {
  const stream = streamName('result', team, id);
  const groups = new Map<string, FailureGroup>();
  const note = (facts: EventMeta['facts']) => {
    const group = facts?.['group'] as FailureGroup | undefined;
    if (group !== undefined) groups.set(group.title, group);
  };
  note((await readBulkOrigin(log, stream))?.meta.facts);
  for await (const events of streamPages(log, stream)) for (const { meta } of events) note(meta.facts);
  return [...groups.values()];
}
