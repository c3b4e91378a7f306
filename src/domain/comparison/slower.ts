/** Whether a pass took much longer than its test usually takes (docs/api.md, section 11). */

/** The number of passes of a test on the default branch that count. */
const PASSES = 20;
export const TIMES_THE_MEAN = 5;

/** `passes`: the durations of the last passes on the default branch in milliseconds, without the one that is asked. */
export function isSlower(ms: number, passes: readonly number[]): boolean {
  if (passes.length === 0) return false;
  const mean = passes.reduce((sum, one) => sum + one, 0) / passes.length;
  return ms > TIMES_THE_MEAN * mean && ms > Math.max(...passes);
}

/** The passes with one more, the newest first. */
export function withPass(passes: readonly number[], ms: number): number[] {
  return [ms, ...passes].slice(0, PASSES);
}
