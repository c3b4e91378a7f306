/** Random histories of a project, of which each step is a command on its runs or results. */
import * as fc from 'fast-check';
import type { LedgerEvent } from '../../src/domain/events.js';
import { resultStatuses } from '../../src/domain/results/result.js';
import { openMemoryLedger, type MemoryLedger } from '../domain/memory-ledger.js';
import { chosen } from '../domain/chosen.js';
import { takeTurns, turns } from '../domain/turns.js';
import { unlessRefused } from '../domain/unless-refused.js';

export type World = {
  ledger: MemoryLedger;
  project: ReturnType<MemoryLedger['project']>;
  runs: ReturnType<MemoryLedger['run']>[];
  results: ReturnType<MemoryLedger['result']>[];
};
export type Step = (world: World) => void;

/** Chooses a run or a result among those that there are. */
export const which = fc.nat(2_000);

export const shard = fc.record({
  index: fc.integer({ min: 1, max: 2 }),
  total: fc.constant(2),
  attempt: fc.integer({ min: 1, max: 3 }),
});

export function keep(
  { runs, results }: World,
  made: Pick<World, 'results'> & { run: World['runs'][number] },
): void {
  if (!runs.some(({ id }) => id === made.run.id)) runs.push(made.run);
  results.push(...made.results);
}

export const onResult = (work: (world: World, result: World['results'][number]) => void) =>
  which.map((n): Step => (world) => {
    const result = chosen(world.results, n);
    if (result !== undefined) work(world, result);
  });

export const setStatus = fc
  .tuple(which, fc.constantFrom(...resultStatuses))
  .map(([n, status]): Step => ({ ledger, results }) => {
    const result = chosen(results, n);
    if (result !== undefined) ledger.updateResult(result, { status });
  });

export const takingTurns = fc.tuple(which, turns).map(([n, all]): Step => ({ ledger, results }) => {
  const result = chosen(results, n);
  if (result !== undefined) results.push(...takeTurns(ledger, result, all));
});

/** The events of such steps. The commands that are refused leave none. */
export function playing(step: fc.Arbitrary<Step>): fc.Arbitrary<LedgerEvent[]> {
  return fc.array(step, { maxLength: 45, size: 'max' }).map((steps): LedgerEvent[] => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const world: World = { ledger, project, runs: [ledger.run(project)], results: [] };
    for (const each of steps) unlessRefused(() => each(world));
    return ledger.events;
  });
}
