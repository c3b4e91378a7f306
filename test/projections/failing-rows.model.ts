/**
 * The row of failures at each failure, looked up in the whole history: since when the test fails on its branch, when it
 * passed last, and on which branches it fails now. The fold keeps four verdicts of a branch one by one: a row is left out
 * after a change of an older verdict.
 */
import { failingLineId } from '../../projections/history/failing-lines.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { FailingRow } from '../../src/domain/test-history/failing-row.js';
import { happen, momentOf, type ModelResult } from './failures.model.js';

const KEPT = 4;

/** `failing`: whether the newest verdict of each branch failed; null where it is left out. */
export type RowsModel = { rows: Map<string, FailingRow | null>; failing: Map<string, boolean | null> };

type Branch = { kept: string[]; isExact: boolean };

export function rowsOf(events: readonly LedgerEvent[]): RowsModel {
  const results = new Map<string, ModelResult>();
  const branches = new Map<string, Branch>();
  const rows = new Map<string, FailingRow | null>();
  const at = (key: string) => {
    const known = branches.get(key) ?? { kept: [], isExact: true };
    branches.set(key, known);
    return known;
  };
  for (const event of events) {
    const before = new Map([...results].map(([id, one]) => [id, { ...one }]));
    happen(results, event);
    for (const [id, was] of before) {
      const is = results.get(id);
      if (!isVerdict(was) || (is?.final === was.final && is?.superseded_by === was.superseded_by)) continue;
      const branch = at(branchOf(was));
      if (!branch.kept.includes(id)) branch.isExact = false;
      if (is?.final !== was.final) branch.kept = branch.kept.filter((one) => one !== id);
    }
    for (const [id, is] of results) {
      if (is.final === (before.get(id)?.final ?? null)) continue;
      rows.delete(id);
      if (!isVerdict(is)) continue;
      const branch = at(branchOf(is));
      branch.kept = [id, ...branch.kept].slice(0, KEPT);
      if (is.final?.status === 'Failed') rows.set(id, branch.isExact ? rowAt(results, is) : null);
    }
    for (const id of rows.keys()) if (results.get(id)?.status !== 'Failed') rows.delete(id);
  }
  const failing = new Map(
    [...results.values()]
      .filter(({ final }) => final !== null)
      .map((one): [string, boolean | null] => {
        const { isExact } = at(branchOf(one));
        return [branchOf(one), isExact ? verdictsOf(results, one)[0]?.final?.status === 'Failed' : null];
      }),
  );
  return { rows, failing };
}

function rowAt(results: ReadonlyMap<string, ModelResult>, own: ModelResult): FailingRow {
  const verdicts = verdictsOf(results, own);
  const pass = verdicts.findIndex(({ final }) => final?.status === 'Passed');
  const failures = pass < 0 ? verdicts : verdicts.slice(0, pass);
  return {
    failing_since: seen(failures.at(-1) ?? own),
    last_passed: pass < 0 ? null : seen(verdicts[pass]!),
  };
}

/** The verdicts that count, newest first. */
function verdictsOf(results: ReadonlyMap<string, ModelResult>, of: ModelResult): ModelResult[] {
  return [...results.values()]
    .filter((one) => isVerdict(one) && branchOf(one) === branchOf(of) && one.superseded_by === null)
    .sort((one, other) => (one.final!.opened < other.final!.opened ? 1 : -1));
}

function isVerdict({ final }: ModelResult): boolean {
  return final?.status === 'Passed' || final?.status === 'Failed';
}

/** The line of a result on its branch. */
function branchOf({ test_id, final }: ModelResult): string {
  const { branch, environment } = final!;
  return failingLineId({ test_id, environment, branch });
}

function seen({ run_id, final }: ModelResult) {
  return momentOf({ run_id, commit: final!.commit, at: final!.at });
}
