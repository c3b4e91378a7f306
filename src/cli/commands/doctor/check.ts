/** One check of the doctor, and what it found. */
import { withTimeout } from '../../../concurrency/with-timeout.js';
import { reasonOf } from '../../../errors.js';

export type Finding = {
  /** What was checked, in one or two words. */
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What the person should do; null where all is well. */
  advice: string | null;
};

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

export function warn(check: string, message: string, advice: string): Finding {
  return { check, status: 'warn', message, advice };
}

export function failed(check: string, message: string, advice: string): Finding {
  return { check, status: 'fail', message, advice };
}

const CHECK_WITHIN_MS = 20_000;

/** Runs a check; its error, or no end in time, is a failure with this advice. */
export async function checked(check: string, advice: string, work: () => Promise<Finding>): Promise<Finding> {
  const late = () => failed(check, `no answer within ${CHECK_WITHIN_MS / 1_000} s`, advice);
  try {
    return await withTimeout(CHECK_WITHIN_MS, work(), late);
  } catch (error) {
    return failed(check, reasonOf(error), advice);
  }
}
