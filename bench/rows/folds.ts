/** The folds of both projections over a whole log, each in a process of its own and without a server beside it. */
import { join } from 'node:path';
import { seed } from '../test-data/seed.js';
import { seedSubmissions } from '../test-data/seed.submissions.js';
import { startChild } from '../processes/child.js';
import { compare, type Row } from '../table/table.js';
import { undisturbed } from '../table/turns.js';
import type { OutboxFoldOptions } from './history.child.js';
import type { RebuildOptions } from './rebuild.child.js';

/** Folds the read models again. */
export async function rebuildRow(folder: string, turns: number, figure: string, note: string): Promise<Row> {
  const child = startChild<RebuildOptions, number[]>('rows/rebuild.child.js');
  const measured = await child.ask({ folder, times: turns });
  await child.stop();
  return compare({ figure, unit: '/s', measured, reference: 50_000, atLeast: 1, note });
}

/** Folds the outbox and the histories of tests. */
export async function historyRow(
  folder: string,
  { turns, results }: { turns: number; results: number },
): Promise<Row> {
  await seed(folder, { results });
  const measured = await historyFolds(folder, { turns, results });
  const note = 'results; histories of 1,000 tests, messages and test views, one commit for up to 2,000';
  const figure = 'fold of the history';
  return compare({ figure, unit: '/s', measured, reference: 20_000, atLeast: 1, note });
}

/** The same for runs of many tests, whose results each load and change another history. */
export async function historyOfManyTestsRow(
  folder: string,
  { turns, results }: { turns: number; results: number },
): Promise<Row> {
  const items = results / 4;
  await seedSubmissions(folder, { runs: 4, items, tests: items });
  const measured = await historyFolds(folder, { turns, results });
  const note = `results; 4 submitted runs of the same ${items.toLocaleString('en')} tests`;
  return compare({ figure: '  of many tests', unit: '/s', measured, reference: 20_000, atLeast: null, note });
}

/** The same for tests that are known, of which the same ones fail in each run. */
export async function historyOfKnownTestsRows(
  folder: string,
  { turns, results }: { turns: number; results: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { failing, reference } of [
    { failing: 100, reference: 60_000 },
    { failing: 10, reference: 35_000 },
  ]) {
    const items = results / 4;
    const own = join(folder, String(failing));
    const { firstRun: after } = await seedSubmissions(own, { runs: 4, items, tests: items, failing });
    const measured = await historyFolds(own, { turns, results: results - items, after });
    const note = `results of known tests, one in ${failing} failing; 3 runs after the first`;
    rows.push(
      compare({ figure: `  one in ${failing} fails`, unit: '/s', measured, reference, atLeast: 1, note }),
    );
  }
  return rows;
}

async function historyFolds(
  folder: string,
  { turns, ...options }: { turns: number } & Omit<OutboxFoldOptions, 'folder'>,
): Promise<number[]> {
  const measured: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const child = startChild<OutboxFoldOptions, number>('rows/history.child.js');
    measured.push(await undisturbed(() => child.ask({ folder, ...options })));
    await child.stop();
  }
  return measured;
}
