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
