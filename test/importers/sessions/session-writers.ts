/** Writes a session as the tools of each format write it. */
import { verdictOf, type SessionSuite, type SessionTest } from './sessions.js';

export type Writer = (suites: readonly SessionSuite[]) => string;

/** Elements in a case are its attempts; the counters of a suite have its hook. */
export const surefire: Writer = (suites) =>
  xml(
    'testsuites',
    {},
    suites.map(({ name, file, tests, hookFailed }) => {
      const cases = tests.map((test, n) =>
        xml('testcase', { name: test.title, classname: 'Cart', line: n + 1 }, inside(test)),
      );
      const failures = tests.filter((test) => verdictOf(test) === 'failed').length + Number(hookFailed);
      return xml('testsuite', { name, file, tests: tests.length, failures, errors: 0 }, cases);
    }),
  );

function inside(test: SessionTest): string[] {
  const failure = (tag: string) => xml(tag, { message: 'no', type: 'Error' }, ['at cart.js:1']);
  const { failedBefore, last } = test;
  switch (verdictOf(test)) {
    case 'skipped':
      return [xml('skipped', {})];
    case 'passed':
      return Array.from({ length: failedBefore }, () => failure('flakyFailure'));
    case 'failed': {
      const attempts = failedBefore + Number(last === 'failed');
      return [failure('failure'), ...Array.from({ length: attempts - 1 }, () => failure('rerunFailure'))];
    }
  }
}

/** pytest-rerunfailures: each attempt that was run again is an empty case, and `failures` counts tests. */
export const pytest: Writer = (suites) => {
  const cases = suites.flatMap(({ name, tests }) =>
    tests.flatMap((test) => {
      const attempts = lastThatRan(test);
      return attempts.map((status, n) => {
        const isLast = n === attempts.length - 1;
        const content =
          !isLast || status === 'passed'
            ? []
            : [status === 'failed' ? xml('failure', { message: 'no' }) : xml('skipped', {})];
        return xml('testcase', { classname: name, name: test.title, time: '0.01' }, content);
      });
    }),
  );
  const all = suites.flatMap(({ tests }) => tests);
  const failures = all.filter((test) => verdictOf(test) === 'failed').length;
  const errors = suites.filter(({ hookFailed }) => hookFailed).length;
  return xml('testsuites', { name: 'pytest tests' }, [
    xml('testsuite', { name: 'pytest', errors, failures, tests: all.length }, cases),
  ]);
};

/** gotestsum --rerun-fails: each run of a test is a case, those that failed first. */
export const gotestsum: Writer = (suites) =>
  xml(
    'testsuites',
    {},
    suites.map(({ name, tests, hookFailed }) => {
      const runs = tests.flatMap((test) =>
        lastThatRan(test).map((status) => ({ title: test.title, status })),
      );
      const order = ['failed', 'skipped', 'passed'];
      const cases = runs
        .toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
        .map(({ title, status }) => {
          const text = [`=== RUN   ${title}`];
          const content = {
            passed: [],
            skipped: [xml('skipped', { message: 'Skipped' })],
            failed: [xml('failure', { message: 'Failed', type: '' }, text)],
          };
          return xml('testcase', { classname: name, name: title }, content[status]);
        });
      const failures = runs.filter(({ status }) => status === 'failed').length + Number(hookFailed);
      return xml(
        'testsuite',
        { name, tests: runs.length, failures, timestamp: '2026-11-20T09:00:00Z' },
        cases,
      );
    }),
  );

/** The attempts up to the last one that ran. */
export function lastThatRan({ failedBefore, last }: SessionTest): ('passed' | 'failed' | 'skipped')[] {
  const before = Array.from({ length: failedBefore }, () => 'failed' as const);
  if (last === 'passed' || last === 'failed') return [...before, last];
  return failedBefore > 0 ? before : ['skipped'];
}

export const ctrf: Writer = (suites) => {
  const tests = suites.flatMap(({ name, file, tests }) =>
    tests.map(({ title, failedBefore, last }) => ({
      name: title,
      suite: [name],
      filePath: file,
      status: last === 'interrupted' ? 'other' : last,
      duration: 1,
      retries: failedBefore,
      retryAttempts: Array.from({ length: failedBefore }, (_, n) => ({
        attempt: n + 1,
        status: 'failed',
        duration: 1,
      })),
    })),
  );
  return ctrfDocument(suites, tests);
};

/** Flaky by its own word, without a list of the attempts. A failure after attempts is written as a failure alone. */
export const ctrfByWord: Writer = (suites) => {
  const tests = suites.flatMap(({ name, file, tests }) =>
    tests.map((test) => ({
      name: test.title,
      suite: [name],
      filePath: file,
      status: verdictOf(test),
      duration: 1,
      ...(test.failedBefore > 0 &&
        verdictOf(test) === 'passed' && { flaky: true, retries: test.failedBefore }),
    })),
  );
  return ctrfDocument(suites, tests);
};

function ctrfDocument(suites: readonly SessionSuite[], tests: readonly object[]): string {
  const all = suites.flatMap((suite) => suite.tests);
  const hooks = suites.filter(({ hookFailed }) => hookFailed).length;
  const failed = all.filter((test) => verdictOf(test) === 'failed').length + hooks;
  return JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: 'tool' }, summary: { tests: all.length, failed, start: 0, stop: 0 }, tests },
  });
}

export const playwright: Writer = (suites) =>
  JSON.stringify({
    config: { rootDir: '/w', projects: [] },
    suites: suites.map(({ name, file, tests }) => ({
      title: file,
      file,
      specs: [],
      suites: [{ title: name, file, specs: tests.map((test, n) => specOf(test, file, n)) }],
    })),
    errors: suites.flatMap(({ hookFailed, file }) =>
      hookFailed ? [{ message: 'Error: no', location: { file, line: 1 } }] : [],
    ),
  });

function specOf(test: SessionTest, file: string, line: number): object {
  const { title, failedBefore, last } = test;
  const statuses = [...Array.from({ length: failedBefore }, () => 'failed'), last];
  const verdict = verdictOf(test);
  const status = {
    failed: 'unexpected',
    skipped: 'skipped',
    passed: failedBefore > 0 ? 'flaky' : 'expected',
  }[verdict];
  const results = statuses.map((each, retry) => ({
    status: each,
    retry,
    duration: 1,
    errors: each === 'failed' ? [{ message: 'Error: no' }] : [],
  }));
  return {
    title,
    file,
    line,
    tests: [{ projectName: '', expectedStatus: 'passed', annotations: [], results, status }],
  };
}

/** A hook that failed is an error of the whole run. */
export const trx: Writer = (suites) => {
  const outcomes = { passed: 'Passed', failed: 'Failed', skipped: 'NotExecuted' };
  const results = suites.flatMap(({ name, tests }, s) =>
    tests.map((test, n) =>
      xml('UnitTestResult', {
        executionId: `e${s}.${n}`,
        testId: `t${s}.${n}`,
        testName: `${name}.${test.title}`,
        outcome: outcomes[verdictOf(test)],
        duration: '00:00:00.0010000',
      }),
    ),
  );
  const hook = suites.some(({ hookFailed }) => hookFailed);
  const isFailed = hook || suites.some(({ tests }) => tests.some((test) => verdictOf(test) === 'failed'));
  const infos = hook
    ? [xml('RunInfos', {}, [xml('RunInfo', { outcome: 'Error' }, [xml('Text', {}, ['The hook failed.'])])])]
    : [];
  return xml('TestRun', { id: 'r', xmlns: 'http://microsoft.com/schemas/VisualStudio/TeamTest/2010' }, [
    xml('Results', {}, results),
    xml('ResultSummary', { outcome: isFailed ? 'Failed' : 'Completed' }, infos),
  ]);
};

/** A hook that failed is the tear-down of a fixture. */
export const nunit: Writer = (suites) => {
  const results = { passed: 'Passed', failed: 'Failed', skipped: 'Skipped' };
  const fixtures = suites.map(({ name, tests, hookFailed }, s) => {
    const cases = tests.map((test, n) =>
      xml('test-case', {
        id: `${s}-${n}`,
        name: test.title,
        classname: name,
        fullname: `${name}.${test.title}`,
        result: results[verdictOf(test)],
      }),
    );
    const failed = tests.some((test) => verdictOf(test) === 'failed');
    const site = hookFailed
      ? { result: 'Failed', site: 'TearDown' }
      : failed
        ? { result: 'Failed', site: 'Child' }
        : { result: 'Passed' };
    const message = hookFailed ? [xml('failure', {}, [xml('message', {}, ['TearDown : no'])])] : [];
    return xml('test-suite', { type: 'TestFixture', name, fullname: name, classname: name, ...site }, [
      ...message,
      ...cases,
    ]);
  });
  return xml('test-run', { id: '0' }, [
    xml(
      'test-suite',
      { type: 'Assembly', name: 'shop.dll', fullname: '/b/shop.dll', result: 'Passed' },
      fixtures,
    ),
  ]);
};

export const xunit: Writer = (suites) => {
  const results = { passed: 'Pass', failed: 'Fail', skipped: 'Skip' };
  const collections = suites.map(({ name, tests }) =>
    xml(
      'collection',
      { name },
      tests.map((test, n) =>
        xml('test', {
          id: `${name} ${n}`,
          name: `${name}.${test.title}`,
          type: name,
          method: 'm',
          time: '0.01',
          result: results[verdictOf(test)],
        }),
      ),
    ),
  );
  const errors = suites.flatMap(({ name, hookFailed }) =>
    hookFailed
      ? [
          xml('error', { type: 'class-cleanup', name }, [
            xml('failure', { 'exception-type': 'E' }, [xml('message', {}, ['no'])]),
          ]),
        ]
      : [],
  );
  return xml('assemblies', {}, [
    xml('assembly', { name: '/b/shop.dll' }, [xml('errors', {}, errors), ...collections]),
  ]);
};

export function xml(
  tag: string,
  attributes: Record<string, string | number>,
  inside: readonly string[] = [],
): string {
  const escaped = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`);
  return `<${tag}${escaped.join('')}>${inside.map((each) => (each.startsWith('<') ? each : escapeXml(each))).join('\n')}</${tag}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
