/** Random sessions of a test tool, and what each format would say of them. The session knows the truth. */
import fc from 'fast-check';

type Ended = 'passed' | 'failed' | 'skipped' | 'interrupted';

export type SessionTest = {
  title: string;
  /** Attempts that failed before the last one. */
  failedBefore: number;
  last: Ended;
};

export type SessionSuite = {
  name: string;
  file: string;
  tests: readonly SessionTest[];
  /** A hook that failed, and no test says so. */
  hookFailed: boolean;
};

export type Truth = { passed: number; failed: number; skipped: number; flaky: number };

const titles = ['adds', 'adds & "removes"', 'zählt <Körbe> €', 'pays › twice', 'adds [1]'];

export const sessions: fc.Arbitrary<readonly SessionSuite[]> = fc
  .array(
    fc.record({
      tests: fc.array(
        fc.record({
          title: fc.constantFrom(...titles),
          failedBefore: fc.nat(2),
          last: fc.constantFrom<Ended>('passed', 'passed', 'failed', 'skipped', 'interrupted'),
        }),
        { maxLength: 6 },
      ),
      hookFailed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((suites) => suites.map((suite, n) => ({ ...suite, name: `suite ${n}`, file: `src/${n}.test.js` })));

/** The last attempt that ran decides. */
export function verdictOf({ failedBefore, last }: SessionTest): 'passed' | 'failed' | 'skipped' {
  if (last === 'passed' || last === 'failed') return last;
  return failedBefore > 0 ? 'failed' : 'skipped';
}

/** `hooks`: how many failed results a format makes of the hooks: one for each suite, or one for all. */
export function truthOf(suites: readonly SessionSuite[], hooks: 'each' | 'one'): Truth {
  const all = suites.flatMap(({ tests }) => tests);
  const count = (verdict: string) => all.filter((test) => verdictOf(test) === verdict).length;
  const failedHooks = suites.filter(({ hookFailed }) => hookFailed).length;
  return {
    passed: count('passed'),
    failed: count('failed') + (hooks === 'each' ? failedHooks : Math.min(1, failedHooks)),
    skipped: count('skipped'),
    flaky: all.filter(({ failedBefore, last }) => failedBefore > 0 && last === 'passed').length,
  };
}

/**
 * The results that are flaky for the service, to which tests of one name at one commit are one test: those that passed
 * where an attempt of the name failed, and those that count after the name has both passed and failed.
 */
export function flakyByName(suites: readonly SessionSuite[]): number {
  const byName = suites.flatMap(({ tests }) =>
    titles.map((title) => tests.filter((test) => test.title === title).map(attemptsThatRan)),
  );
  return byName.reduce((sum, tests) => sum + flakyOf(tests), 0);
}

/** Of the tests of one name: the attempts of each. The last one of each counts. */
function flakyOf(tests: readonly ('passed' | 'failed')[][]): number {
  const failedBefore = tests.some((attempts) => attempts.slice(0, -1).includes('failed'));
  const seen = new Set<string>();
  const flaky = tests.filter((attempts) => {
    for (const verdict of attempts) seen.add(verdict);
    const last = attempts.at(-1);
    return last !== undefined && (seen.size > 1 || (last === 'passed' && failedBefore));
  });
  return flaky.length;
}

function attemptsThatRan({ failedBefore, last }: SessionTest): ('passed' | 'failed')[] {
  const before = Array.from({ length: failedBefore }, () => 'failed' as const);
  return last === 'passed' || last === 'failed' ? [...before, last] : before;
}

/** With other names than any other session has: the history of a test must not make it flaky. */
export function numbered(suites: readonly SessionSuite[], number: number): SessionSuite[] {
  return suites.map((suite) => ({ ...suite, name: `${suite.name} of session ${number}` }));
}

/** A failure waits for the end of a report that may still have another attempt of its test. */
export function lastFailuresLast(suites: readonly SessionSuite[]): SessionSuite[] {
  const waits = ({ last }: SessionTest) => last === 'failed';
  return suites.map((suite) => ({
    ...suite,
    tests: [...suite.tests.filter((test) => !waits(test)), ...suite.tests.filter(waits)],
  }));
}

/** For a tool whose names are unique in a suite. */
export function withoutSameNames(suites: readonly SessionSuite[]): SessionSuite[] {
  return suites.map((suite) => ({
    ...suite,
    tests: suite.tests.filter(({ title }, n) => suite.tests.findIndex((each) => each.title === title) === n),
  }));
}

/** A session of a tool that runs no test again. */
export function withoutAttempts(suites: readonly SessionSuite[]): SessionSuite[] {
  return suites.map((suite) => ({
    ...suite,
    tests: suite.tests.map((test) => ({ ...test, failedBefore: 0, last: verdictOf(test) })),
  }));
}

/** A session of a tool that says of a failure nothing but that. */
export function withoutAttemptsOfFailures(suites: readonly SessionSuite[]): SessionSuite[] {
  return suites.map((suite) => ({
    ...suite,
    tests: suite.tests.map((test) =>
      verdictOf(test) === 'failed' ? { ...test, failedBefore: 0, last: 'failed' } : test,
    ),
  }));
}
