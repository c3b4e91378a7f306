/** The folds of both projections over a whole log, each in a process of its own and without a server beside it. */
import { seed } from '../test-data/seed.js';
import { startChild } from '../processes/child.js';
import { compare, type Row } from '../table/table.js';
import { undisturbed } from '../table/turns.js';
import type { OutboxFoldOptions } from './outbox.child.js';
import type { RebuildOptions } from './rebuild.child.js';

/** Folds the read models again. */
export async function rebuildRow(folder: string, turns: number, figure: string, note: string): Promise<Row> {
  const child = startChild<RebuildOptions, number[]>('rows/rebuild.child.js');
  const measured = await child.ask({ folder, times: turns });
  await child.stop();
  return compare({ figure, unit: '/s', measured, reference: 50_000, atLeast: 1, note });
}

/** Folds the outbox and the histories of tests. */
export async function passRow(
  folder: string,
  { turns, results }: { turns: number; results: number },
): Promise<Row> {
  await seed(folder, { results });
  const measured: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const child = startChild<OutboxFoldOptions, number>('rows/outbox.child.js');
    measured.push(await undisturbed(() => child.ask({ folder, results })));
    await child.stop();
  }
  const note = 'results; histories of 1,000 tests, messages and test views, one commit for up to 2,000';
  const figure = "test fold and publisher's pass";
  return compare({ figure, unit: '/s', measured, reference: 20_000, atLeast: 1, note });
}
