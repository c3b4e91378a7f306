/**
 * Scenarios as allure-cucumberjs 3 writes them. It calls a scenario passed of which a step is ambiguous, undefined, pending
 * or skipped, or of which a hook failed: Cucumber calls none of them that.
 */
import { listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import { errorSaying, type Reported, type ReportedError } from '../reported.js';
import { statusOf, type Labels } from './fields.js';

/** `hookError`: of a hook of the scenario that failed. */
export function withVerdict(
  result: JsonObject,
  labels: Labels,
  read: Reported,
  hookError: ReportedError | undefined,
): Reported {
  if (read.status === 'failed' || labels('framework')[0] !== 'cucumberjs') return read;
  if (hookError !== undefined) return { ...read, status: 'failed', error: hookError, reason: null };
  if (read.status !== 'passed') return read;
  const steps = listOf(result.steps).map(objectOf);
  const withoutStatus = steps.find((step) => step.status === undefined || step.status === null);
  const said = textOf(objectOf(withoutStatus?.statusDetails).message);
  if (withoutStatus !== undefined && said !== null) {
    const error = errorSaying(`${said} ${textOf(withoutStatus.name) ?? ''}`.trim());
    return { ...read, status: 'failed', error };
  }
  const skipped = steps.find(({ status }) => statusOf(status) === 'skipped');
  if (skipped !== undefined)
    return { ...read, status: 'skipped', reason: `skipped: ${textOf(skipped.name) ?? 'a step'}` };
  return steps.length > 0 ? read : { ...read, status: 'skipped', reason: 'the scenario has no steps' };
}
