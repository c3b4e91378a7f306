/**
 * Which results of one `historyId` are attempts of one test. To Allure, all of them are. But its adapters make the id of
 * names, so tests that share a name share it too: the pass of one must not hide the failure of the other.
 */
import type { Reported, ReportedError } from '../reported.js';
import { listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import type { Labels } from './fields.js';
import type { Attempt, Told } from './attempts.js';

/** What a result says of the attempts around it. `read` is what was read of it, `error` what it says of itself. */
export function toldOf(result: JsonObject, labels: Labels, read: Reported, error: () => ReportedError): Told {
  // A pass is not tried again.
  const told = { isFirst: false, isLast: read.status === 'passed', process: '', tried: null };
  const process = /\d+/.exec(labels('thread')[0] ?? '')?.[0] ?? '';
  switch (labels('framework')[0]?.toLowerCase()) {
    case 'mocha':
    case 'cypress':
      return { ...told, isFirst: !isRetry(result), process };
    // They write a test once, whatever its attempts were.
    case 'jasmine':
    case 'vitest':
      return { ...told, isLast: true, process };
    // They call an attempt skipped that failed and is tried again.
    case 'testng':
    case 'robotframework': {
      const tried = wasTried(result) ? error() : null;
      return { ...told, isLast: tried === null, process, tried };
    }
    default:
      return told;
  }
}

function isRetry(result: JsonObject): boolean {
  return listOf(result.parameters).some((each) => objectOf(each).name === 'Retry');
}

function wasTried({ status, statusDetails }: JsonObject): boolean {
  if (status !== 'skipped') return false;
  const { message, trace } = objectOf(statusDetails);
  if ((textOf(message) ?? '').endsWith('Skipped for Retry')) return true;
  const stack = textOf(trace) ?? '';
  return stack !== '' && !/^(?:org\.testng\.SkipException|java\.lang\.Throwable: Method )/.test(stack);
}

/** The tests of one id, each with its attempts. */
export function testsAmong(attempts: readonly Attempt[]): Attempt[][] {
  const tests: Attempt[][] = [];
  for (const attempt of attempts) {
    const before = tests.at(-1)?.at(-1);
    const isOther =
      before === undefined || ((before.isLast || attempt.isFirst) && before.process === attempt.process);
    if (isOther) tests.push([attempt]);
    else tests.at(-1)!.push(attempt);
  }
  return tests.map(withTried);
}

/** An attempt that was tried again failed, where one behind it ran. */
function withTried(attempts: readonly Attempt[]): Attempt[] {
  const lastThatRan = attempts.findLastIndex(({ result }) => result.status !== 'skipped');
  return attempts.map((attempt, n) =>
    attempt.tried === null || n > lastThatRan
      ? attempt
      : { ...attempt, result: { ...attempt.result, status: 'failed', error: attempt.tried, reason: null } },
  );
}
