/** Compares everything that a client can read with the records that the writers expect. No writer may be active. */
import { expect } from 'chai';
import type { RecordedEvent } from '../../src/domain/event.js';
import type { EventData } from '../../src/domain/events.js';
import type { Api } from '../kit/client.js';
import {
  countsOf,
  present,
  shownResult,
  shownRun,
  type Fields,
  type Result,
  type Run,
} from './expected-records.js';
import { listed, see, type Writer } from './kill/random-writer.js';

const AT_ONCE = 16;

/** The snapshot of each shared run as it was last seen, and how often the run may have been completed by then. */
export type Snapshots = Map<Run, { completions: number; snapshot: Fields | null }>;

/**
 * Checks the whole list of runs; the results of the runs that were written to in this round, or of all runs; and the
 * results that are in no list: results without a run, and deleted results.
 */
export async function checkAll(
  api: Api,
  project: string,
  { writers, shared, snapshots, all }: Checked,
): Promise<void> {
  const runs = [...shared, ...writers.flatMap((writer) => writer.runs)];
  const touched = new Set(writers.flatMap((writer) => [...writer.touched]));
  const records = new Map(
    (await listed(api, `/v1/test/run/?project_id=${project}`)).map((run) => [
      String(run['test_run_id']),
      run,
    ]),
  );
  expect([...records.keys()].sort(), 'the runs').to.deep.equal(runs.map(({ id }) => String(id)).sort());
  for (const run of runs) {
    const record = records.get(run.id!)!;
    if (run.shared) checkShared(run, record, snapshots);
    else expect(record, `the run ${run.mark}`).to.deep.equal(shownRun(run));
  }
  const changed = new Set([...touched].map((thing) => (thing.kind === 'run' ? thing : thing.run)));
  await inParallel(
    runs.filter((run) => all || run.shared || changed.has(run)),
    (run) => checkResults(api, run, records.get(run.id!)!),
  );
  const unlisted = [...touched].filter((each) => each.kind === 'result' && (!each.run || !each.record));
  await inParallel(unlisted, async (result) => {
    expect(await see(api, result), `result ${result.mark}`).to.deep.equal(shownResult(result as Result));
  });
}

export type Checked = {
  writers: readonly Writer[];
  shared: readonly Run[];
  snapshots: Snapshots;
  /** Also check the results of runs that no writer wrote to. */
  all: boolean;
};

async function checkResults(api: Api, run: Run, record: Fields): Promise<void> {
  const results = await listed(api, `/v1/test/result/?test_run_id=${run.id}`);
  const wanted = present(run).map(shownResult);
  // The order is known only among the writes of one writer.
  const inOrder = run.shared ? byId : (list: readonly (Fields | null)[]) => list;
  expect(inOrder(results), `the results of ${run.mark}`).to.deep.equal(inOrder(wanted));
  const counts = countsOf(results.map(({ status }) => status as string));
  expect(record['counts'], `the counts of ${run.mark}`).to.deep.equal(counts);
}

function checkShared(run: Run, record: Fields, snapshots: Snapshots): void {
  const completions = run.completions + run.uncertain;
  const { completions: before = 0, snapshot = null } = snapshots.get(run) ?? {};
  if (completions === before) expect(record['count_snapshot'], 'a snapshot stays').to.deep.equal(snapshot);
  if (run.completions > 0) {
    expect(record).to.include({ status: 'Completed', finished_at: record['count_snapshot'].at });
    const { at: _, total, ...each } = record['count_snapshot'] as Record<string, number>;
    expect(Object.values(each).reduce((sum, n) => sum + n, 0)).to.equal(total);
  }
  snapshots.set(run, { completions, snapshot: record['count_snapshot'] });
}

/** Checks that no event is in the log twice, and that each run was completed as often as was answered. */
export function checkLog(events: readonly RecordedEvent[], runs: readonly Run[]): void {
  expect(new Set(events.map(({ id }) => id)).size, 'event ids').to.equal(events.length);
  const completions = new Map<string, number[]>();
  for (const { type, data } of events) {
    if (type !== 'RunCompleted') continue;
    const { run_id, completion } = data as EventData['RunCompleted'];
    completions.set(run_id, [...(completions.get(run_id) ?? []), completion]);
  }
  for (const run of runs) {
    const logged = completions.get(run.id!) ?? [];
    expect(logged, `completions of ${run.mark}`).to.deep.equal(logged.map((_, index) => index + 1));
    expect(logged.length).to.be.within(run.completions, run.completions + run.uncertain);
  }
}

function byId(list: readonly (Fields | null)[]): (Fields | null)[] {
  return list.toSorted((a, b) => (a!['test_result_id'] < b!['test_result_id'] ? -1 : 1));
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
