/** Writes a session as the tools of formats with steps and lines write it. */
import { verdictOf, type SessionSuite, type SessionTest } from './sessions.js';
import { lastThatRan, xml, type Writer } from './session-writers.js';

/** gotestsum appends what it runs again, a package at once. A hook that failed is a package that failed without a test. */
export const goTest: Writer = (suites) => {
  const events: object[] = [];
  const add = (Package: string, Action: string, more: object = {}) =>
    events.push({ Time: '2026-11-20T09:00:00.5Z', Action, Package, ...more });
  const most = Math.max(0, ...suites.flatMap(({ tests }) => tests.map((test) => lastThatRan(test).length)));
  for (let round = 0; round < most; round += 1)
    for (const { name, tests } of suites) {
      const now = tests.flatMap((test) => {
        const status = lastThatRan(test)[round];
        return status === undefined ? [] : [{ Test: test.title, status }];
      });
      if (now.length === 0) continue;
      add(name, 'start');
      for (const { Test, status } of now) {
        add(name, 'run', { Test });
        add(name, 'output', { Test, Output: `    a_test.go:1: ${status}\n` });
        add(name, { passed: 'pass', failed: 'fail', skipped: 'skip' }[status], { Test, Elapsed: 0.25 });
      }
      add(name, now.some(({ status }) => status === 'failed') ? 'fail' : 'pass', { Elapsed: 1 });
    }
  for (const { name, hookFailed } of suites) if (hookFailed) add(`${name}/hook`, 'fail', { Elapsed: 1 });
  // Without a package there is no line at all.
  if (events.length === 0) add('none', 'skip');
  return lines(events);
};

/** A hook that failed is one of the whole run. */
export const cucumber: Writer = (suites) => {
  const timestamp = { seconds: 1_763_629_200, nanos: 5 };
  const defined: object[] = [];
  const ran: object[] = [];
  for (const [s, { name, file, tests, hookFailed }] of suites.entries()) {
    const scenarios = tests.map(({ title }, n) => ({ scenario: { id: `n${s}.${n}`, name: title } }));
    defined.push({ gherkinDocument: { uri: file, feature: { name, children: scenarios } } });
    for (const [n, test] of tests.entries()) {
      const id = `${s}.${n}`;
      const steps = [{ id: `s${id}`, text: 'it runs' }];
      defined.push({ pickle: { id: `p${id}`, uri: file, name: test.title, astNodeIds: [`n${id}`], steps } });
      ran.push({
        testCase: { id, pickleId: `p${id}`, testSteps: [{ id: `t${id}`, pickleStepId: `s${id}` }] },
      });
      const statuses = statusesOf(test);
      for (const [attempt, status] of statuses.entries()) {
        const testCaseStartedId = `${id}.${attempt}`;
        const testStepResult = { status: status.toUpperCase(), message: 'no', duration: timestamp };
        const willBeRetried = attempt < statuses.length - 1;
        ran.push(
          { testCaseStarted: { id: testCaseStartedId, testCaseId: id, attempt, timestamp } },
          { testStepFinished: { testCaseStartedId, testStepId: `t${id}`, testStepResult } },
          { testCaseFinished: { testCaseStartedId, timestamp, willBeRetried } },
        );
      }
    }
    if (!hookFailed) continue;
    defined.push({ hook: { id: `h${s}`, type: 'AFTER_TEST_RUN' } });
    ran.push(
      { testRunHookStarted: { id: `r${s}`, hookId: `h${s}` } },
      { testRunHookFinished: { testRunHookStartedId: `r${s}`, result: { status: 'FAILED', message: 'no' } } },
    );
  }
  const meta = { meta: { implementation: { name: 'cucumber-js' } } };
  return lines([meta, ...defined, ...ran, { testRunFinished: { success: !isFailed(suites), timestamp } }]);
};

/** robotframework-retryfailed keeps the attempts before as tests. A hook that failed is the tear-down of a suite. */
export const robot: Writer = (suites) => {
  const words = { passed: 'PASS', failed: 'FAIL', skipped: 'SKIP' };
  const inside = suites.map(({ name, tests, hookFailed }) => {
    const cases = tests.flatMap((test) => {
      const statuses = statusesOf(test);
      return statuses.map((status, n) => {
        const isLast = n === statuses.length - 1;
        const attributes = {
          status: isLast ? words[status] : 'SKIP',
          start: '2026-11-20T09:00:00',
          elapsed: '0.1',
        };
        const text = isLast ? (status === 'passed' ? '' : 'no') : 'no\nSkipped for Retry';
        return xml('test', { name: test.title }, [xml('status', attributes, [text])]);
      });
    });
    const failed = hookFailed || tests.some((test) => verdictOf(test) === 'failed');
    const status = xml('status', { status: failed ? 'FAIL' : 'PASS' }, [
      hookFailed ? 'Suite teardown failed:\nno' : '',
    ]);
    return xml('suite', { name }, [...cases, status]);
  });
  const all = suites.flatMap(({ tests }) => tests);
  const fail = all.filter((test) => verdictOf(test) === 'failed').length;
  return xml('robot', { generator: 'Robot 7.0', schemaversion: 5 }, [
    ...inside,
    xml('statistics', {}, [xml('total', {}, [xml('stat', { pass: 0, fail, skip: 0 }, ['All Tests'])])]),
  ]);
};

/** The files of a folder. A hook that failed is a fixture of a suite, in which no test says so. */
export function allure(suites: readonly SessionSuite[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [s, { name, tests, hookFailed }] of suites.entries()) {
    for (const [n, test] of tests.entries())
      for (const [attempt, status] of statusesOf(test).entries()) {
        const uuid = `${s}-${n}-${attempt}`;
        const isLast = attempt === test.failedBefore;
        files[`${uuid}-result.json`] = JSON.stringify({
          uuid,
          historyId: `${s}-${n}`,
          name: test.title,
          start: 1_763_629_200_000 + attempt,
          stop: 1_763_629_200_001 + attempt,
          labels: [{ name: 'suite', value: name }],
          ...(isLast && test.last === 'interrupted'
            ? { stage: 'interrupted' }
            : { status, stage: 'finished', statusDetails: status === 'failed' ? { message: 'no' } : {} }),
        });
      }
    const afters = [{ name: 'tear down', status: 'broken', statusDetails: { message: 'no' } }];
    if (hookFailed)
      files[`${s}-container.json`] = JSON.stringify({ uuid: `${s}`, name, children: [], afters });
  }
  return files;
}

function statusesOf({ failedBefore, last }: SessionTest): ('passed' | 'failed' | 'skipped')[] {
  const before = Array.from({ length: failedBefore }, () => 'failed' as const);
  return [...before, last === 'interrupted' ? 'skipped' : last];
}

function isFailed(suites: readonly SessionSuite[]): boolean {
  return suites.some(
    ({ hookFailed, tests }) => hookFailed || tests.some((test) => verdictOf(test) === 'failed'),
  );
}

function lines(objects: readonly object[]): string {
  return objects.map((each) => `${JSON.stringify(each)}\n`).join('');
}
