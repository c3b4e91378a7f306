/**
 * The clock as it was before the tests: they replace `Date`. The server refuses instants of another year, and with them
 * all results of a call.
 */
// Loaded before the tests.
const OwnDate = Date;
const ownNow = Date.now.bind(Date);

/** Milliseconds since 1970. */
export function ownTime(): number {
  return ownNow();
}

export function instantOf(ms: number): string {
  return new OwnDate(ms).toISOString();
}
