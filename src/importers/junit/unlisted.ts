import { errorSaying, type ReportedError } from '../reported.js';
import type { Suite } from './case.js';

/**
 * The failures that a suite counts and that none of its cases and suites accounts for, as a hook that failed, or a file
 * that was not loaded. Tools count in different ways, and none of those may make a failure that there was not:
 *
 * - Gradle counts attempts that another one followed.
 * - TestCafe and older mocha write one number into both counters; Boost's errors are a part of its failures.
 * - gotestsum counts lines of stderr as errors of the root.
 */
export function unlistedIn({ counted, found, retried, tool, isGradle, isRoot, isGo }: Suite): number {
  const errors = isRoot && isGo ? 0 : counted.errors;
  const all = found.failures + found.errors + (isGradle ? retried : 0);
  const isSame = counted.failures === errors && all >= errors;
  const isPart = all >= counted.failures && found.errors >= errors && errors <= counted.failures;
  if (tool !== 'pytest' && errors > 0 && (isSame || isPart)) return 0;
  return counted.failures + errors - all;
}

/** What a suite says of itself alone, by its attributes `status` and `result`. */
export function errorOfStatus({ saysFailed, found }: Suite): ReportedError | null {
  if (!saysFailed || found.failures + found.errors > 0) return null;
  return errorSaying('The report says that this suite failed, and no test in it failed.');
}
