/** Measures in turns with the reference, so that a machine that is busy for a while slows both. */

import { metered, type Usage } from '../processes/usage.js';

type Measure = () => Promise<number>;

/** A pause of this length in a process that only waits means that the machine itself stood still. */
const STOOD_STILL_MS = 3_000;
const LOOK_EVERY_MS = 100;
const TRIES = 5;

/** What the servers used during each value of a list. */
const usages = new WeakMap<readonly number[], (Usage | null)[]>();

/**
 * One list of values for each measure. `usageOf` tells what the servers used meanwhile. `settled`: waits between two
 * measures, and is no part of them.
 */
export async function inTurns(
  turns: number,
  measures: readonly Measure[],
  settled: () => Promise<void> = async () => undefined,
): Promise<number[][]> {
  const values: number[][] = measures.map(() => []);
  for (const each of values) usages.set(each, []);
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [n, measure] of measures.entries()) {
      const { value, usage } = await undisturbed(() => metered(measure));
      values[n]!.push(value);
      usages.get(values[n]!)!.push(usage);
      await settled();
    }
  }
  return values;
}

/** Empty for values that `inTurns` has not measured. */
export function usageOf(values: readonly number[]): readonly (Usage | null)[] {
  return usages.get(values) ?? [];
}

/**
 * Measures again when the machine stood still meanwhile: a virtual machine that sleeps for a minute breaks connections, and
 * its figures say nothing about a program. Standard error gets a line each time, so that no figure is dropped in silence.
 * @throws the error of the measure; Error when the machine stood still in every try.
 */
export async function undisturbed<T>(measure: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const watch = watchClock();
    const outcome = await measure().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const longest = watch.end();
    if (longest > STOOD_STILL_MS) {
      console.error(`        the machine stood still for ${(longest / 1_000).toFixed(0)} s: measured again`);
    } else if ('error' in outcome) {
      throw outcome.error;
    } else {
      return outcome.value;
    }
  }
  throw new Error(`the machine stood still in each of ${TRIES} tries`);
}

function watchClock(): { end(): number } {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    end() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}
