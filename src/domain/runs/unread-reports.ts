/** What the reports of a run say of themselves: that they were cut, or that they count failures which were not read. */
import type { EventData } from '../events.js';

export type Report = { partial: boolean; failures_unread: number };

/** A call whose report was not read as a whole. A higher attempt of its shard takes its place. */
export type UnreadReport = Report & { shard: number | null; attempt: number };

type Call = Pick<EventData['ItemsSubmitted'], 'shard' | 'report'>;

/** The calls with such a report after one more call. */
export function withReport(
  present: readonly UnreadReport[] | undefined,
  { shard, report }: Call,
): readonly UnreadReport[] | undefined {
  if (present === undefined && report === undefined) return undefined;
  const [index, attempt] = [shard?.index ?? null, shard?.attempt ?? 1];
  const others = (present ?? []).filter(
    (one) => index === null || one.shard !== index || one.attempt > attempt,
  );
  const all = report === undefined ? others : [...others, { ...report, shard: index, attempt }];
  return all.length === 0 ? undefined : all;
}

/** What a run shows of all its reports. */
export function reportOf(unread: readonly UnreadReport[] = []): Report {
  return {
    partial: unread.some(({ partial }) => partial),
    failures_unread: unread.reduce((sum, { failures_unread }) => sum + failures_unread, 0),
  };
}
