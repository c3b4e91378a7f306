/** A log whose events have their contents, where the log beneath has their hashes (docs/decisions/041). */
import { refsIn, splitContents, type HashContent, type Texts } from '../domain/contents.js';
import type { Content, NewEvent, RecordedEvent } from '../domain/event.js';
import type { FailureGroup } from '../domain/test-history/result-facts.js';
import type { Contents } from '../ports/contents.js';
import type { Batch, EventLog } from '../ports/event-log.js';
import { withContents, type Apart, type ContentReader } from './with-contents.js';

/** `holder`: a run, a submission, or a result without a run. It does not throw. */
export type Lost = (place: { team: string; holder: string }) => Promise<void>;

export type ContentsLogOptions = {
  contents: ContentReader & Pick<Contents, 'keep'>;
  /** By team. */
  hashOf: (team: string) => HashContent;
  /**
   * Null where the log beneath stores the contents of an append with it. Otherwise they are stored before, and this is told whose
   * they are when the append is lost: perhaps no event will ever name them.
   */
  lost: Lost | null;
};

/**
 * All but folds read it: commands, the replay, webhooks and histories see events as they were written, and `contents` in the
 * data of those whose contents are gone. A chunk of items comes as it is stored, in both directions: the packer has split it,
 * and only folds ask for it.
 */
export function contentsLog(log: EventLog, options: ContentsLogOptions): EventLog {
  const { contents } = options;
  const joined = async <Page extends Pick<Batch, 'events'>>(page: Page): Promise<Page> => {
    const apart = eventsApart(page.events);
    // Nearly all streams but those of results.
    return apart.length === 0 ? page : { ...page, events: await joinEvents(contents, page.events, apart) };
  };
  return {
    ...log,
    async append(stream, expected, events) {
      const split = events.map((event) => splitEvent(event, options.hashOf));
      const { lost } = options;
      if (lost === null) return log.append(stream, expected, split);
      const places = new Map<string, string>();
      try {
        for (const { contents: held, meta } of split) {
          if (held === undefined) continue;
          const { kept, ...by } = held;
          places.set(held.holder, meta.team_id);
          await contents.keep(by, kept);
        }
        return await log.append(
          stream,
          expected,
          split.map(({ contents: _, ...event }) => event),
        );
      } catch (error) {
        for (const [holder, team] of places) await lost({ team, holder });
        throw error;
      }
    },
    readStream: async (stream, readOptions) => joined(await log.readStream(stream, readOptions)),
    readAll: async (readOptions) => joined(await log.readAll(readOptions)),
    async *follow(followOptions) {
      for await (const batch of log.follow(followOptions)) yield await joined(batch);
    },
  };
}

/** The types whose data have texts, but for the items of submissions. */
const SPLIT = new Set(['ResultCreated', 'ResultStarted', 'ResultFinished', 'ResultUpdated']);

type ResultData = Texts & { result_id: string; project_id: string; run_id: string | null };

function splitEvent(event: NewEvent, hashOf: ContentsLogOptions['hashOf']): NewEvent {
  if (!SPLIT.has(event.type)) return event;
  const { meta } = event;
  const hash = hashOf(meta.team_id);
  const data = event.data as ResultData;
  const { kept, refs, contents } = splitContents(data, hash);
  const group = meta.facts?.['group'] as FailureGroup | undefined;
  if (refs === null && group === undefined) return event;
  const title = group && contentOf(JSON.stringify(group.title), hash);
  const facts = {
    ...meta.facts,
    ...(group && { group: { ...group, title: title!.hash } }),
    ...(refs && { contents: refs }),
  };
  const held = {
    holder: data.run_id ?? data.result_id,
    project: data.project_id,
    kept: title ? [...contents, title] : contents,
  };
  const { id, type, version } = event;
  // Written out: a copy that gets a field more is slow to make, and each of its fields to read (docs/decisions/033).
  return { id, type, version, data: kept, meta: { ...meta, facts }, contents: held };
}

function contentOf(text: string, hash: HashContent): Content {
  return { hash: hash(text), text };
}

type EventApart = Apart<ResultData> & { n: number };

function eventsApart(events: readonly RecordedEvent[]): EventApart[] {
  const apart: EventApart[] = [];
  for (const [n, { meta, data }] of events.entries()) {
    const refs = refsIn(meta);
    const kept = data as ResultData;
    if (refs !== undefined) apart.push({ n, id: kept.result_id, refs, kept });
  }
  return apart;
}

async function joinEvents(
  contents: ContentReader,
  events: readonly RecordedEvent[],
  apart: readonly EventApart[],
): Promise<RecordedEvent[]> {
  const all = [...events];
  for (const [k, { texts, contents: state }] of (await withContents(contents, apart)).entries()) {
    const { n } = apart[k]!;
    all[n] = { ...all[n]!, data: state === 'kept' ? texts : { ...texts, contents: state } };
  }
  return all;
}
