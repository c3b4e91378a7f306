/** The lanes that are stuck before an event which cannot be folded, as State keeps them for operators. */
import type { Instant, Position } from '../domain/event.js';
import type { Partitions } from '../domain/partition.js';
import { reasonOf } from '../errors.js';
import type { State } from '../ports/state.js';
import type { LaneReport } from './lane-moves.js';

export type StuckRecord = {
  build: number;
  partitions: Partitions;
  /** Everything up to here is folded. */
  position: Position;
  /** The event that cannot be folded; null if it cannot be read either. */
  event: { id: string; type: string; stream: string; position: Position } | null;
  error: string;
  since: Instant;
};

const KIND = 'stuck';

export async function readStuck(state: State, projection: string): Promise<readonly StuckRecord[]> {
  return (await state.get<{ lanes: StuckRecord[] }>(KIND, projection))?.value.lanes ?? [];
}

/** Keeps the records of the builds that one projector folds. */
export function openStuckRecords(state: State, projection: string) {
  let lanes: StuckRecord[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  // One after the other: a record that is written late must not bring back an earlier one.
  const write = async (): Promise<void> => {
    const next = writing.then(() => state.put(KIND, projection, { lanes }, { expected: 'any' }));
    writing = next.catch(() => undefined);
    await next;
  };
  async function keep(wanted: (record: StuckRecord) => boolean): Promise<void> {
    if (lanes.every(wanted)) return;
    lanes = lanes.filter(wanted);
    await write();
  }

  return {
    /** Forgets what an earlier leader was stuck at: this one tries again. */
    async clear(): Promise<void> {
      const known = await readStuck(state, projection);
      lanes = [];
      if (known.length > 0) await write();
    },
    async record(build: number, report: LaneReport, now: Instant): Promise<void> {
      const isSame = (each: StuckRecord) => each.build === build && each.partitions === report.partitions;
      const before = lanes.find(isSame);
      lanes = lanes.filter((each) => !isSame(each));
      if (report.type === 'stuck') {
        const { partitions, position, error } = report;
        const event = report.event && pick(report.event);
        lanes.push({
          build,
          partitions,
          position,
          event,
          error: reasonOf(error),
          since: before?.since ?? now,
        });
      }
      await write();
    },
    /** Before the lanes of a build are opened: each of them tries again. */
    forget: (build: number) => keep((each) => each.build !== build),
    /** After a promotion, only the live build is left. */
    keepOnly: (build: number) => keep((each) => each.build === build),
  };
}

export type StuckRecords = ReturnType<typeof openStuckRecords>;

function pick({ id, type, stream, position }: NonNullable<StuckRecord['event']>) {
  return { id, type, stream, position };
}
