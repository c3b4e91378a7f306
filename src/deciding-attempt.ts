/** Which attempt of a test decides, for reports and for reporters alike. */

/**
 * The attempts of a test up to the last one that ran, where that failed: one that was interrupted or skipped behind it says
 * nothing of the test. `because` makes the failure that decides, with the attempt that did not run.
 */
export function withoutUnrun<T extends { status: string }>(
  attempts: readonly T[],
  because: (failure: T, unrun: T) => T,
): readonly T[] {
  const last = attempts.findLastIndex(({ status }) => status !== 'skipped');
  const decides = attempts[last];
  if (decides?.status !== 'failed' || last === attempts.length - 1) return attempts;
  return [...attempts.slice(0, last), because(decides, attempts.at(-1)!)];
}

/** For the reason of the failure that decides. */
export function nextDidNotRun(reason: unknown): string {
  return `the next attempt did not run: ${typeof reason === 'string' ? reason : 'skipped'}`;
}
