import { expect } from 'chai';
import { entriesOf } from './read-corpus.js';

type Counts = { passed?: number; failed?: number; skipped?: number; known_fail?: number };

async function countsOf(report: string | object, partial = false): Promise<Counts> {
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  const counts: Counts = {};
  for (const entry of await entriesOf(text, { partial }))
    if (entry.type === 'result') counts[entry.item.status] = (counts[entry.item.status] ?? 0) + 1;
  return counts;
}

const failure = '<failure message="no">no</failure>';
const suite = (attributes: string, ...cases: string[]) =>
  `<testsuite name="s" ${attributes}>${cases.join('')}</testsuite>`;
const test = (content = '', more = '') => `<testcase classname="c" name="n" ${more}>${content}</testcase>`;

/** Reports of which no test that was read failed, and which say that something did. */
const red: [string, string | object, Counts][] = [
  [
    'a warning of PHPUnit 9',
    suite('tests="1"', test('<warning type="PHPUnit\\Framework\\Warning">the data provider</warning>')),
    { failed: 1 },
  ],
  [
    'a test that ctest could not start',
    suite('', test('<skipped message="Unable to find executable"/>', 'status="notrun"')),
    { failed: 1 },
  ],
  [
    'an attribute in another form',
    suite('', test('', 'status="timed_out"'), test('', 'result="BROKEN"')),
    { failed: 2 },
  ],
  [
    'JUnit: suites that say that they failed, the one around another one counted once',
    `<testsuites status="failed">${suite('status="failed"', test())}${suite('result="ERROR"', test())}</testsuites>`,
    { passed: 2, failed: 2 },
  ],
  [
    'JUnit: a root that says that it failed',
    `<testsuites status="failed">${suite('status="passed"', test())}</testsuites>`,
    { passed: 1, failed: 1 },
  ],
  [
    'xUnit: results in the words of other writers',
    '<assemblies><assembly name="a.dll"><collection><test name="a" result="fail"/><test name="b" result="Failed"/><test name="c" result="passed"/></collection></assembly></assemblies>',
    { passed: 1, failed: 2 },
  ],
  [
    'NUnit: a run and a suite of which a test failed that is not there',
    '<test-run result="Failed(Child)" total="1" failed="0"><test-suite type="Assembly" name="a.dll" result="Failed" site="Child"><test-suite type="TestFixture" name="F" result="Failed" site="Child"><test-case name="n" result="Passed"/></test-suite></test-suite></test-run>',
    { passed: 1, failed: 1 },
  ],
  [
    'NUnit: results in the words of other writers',
    '<test-run result="Failed" total="5" failed="4"><test-case name="a" result="Error"/><test-case name="b" result="Failure"/><test-case name="c" result="Failed(Child)"/><test-case name="d" result="Failed:Error(SetUp)"/><test-case name="e" result="Warning(Child)"/></test-run>',
    { failed: 4, passed: 1 },
  ],
  [
    'TRX: an outcome in small letters',
    '<TestRun><Results><UnitTestResult testName="n" outcome="failed"/><UnitTestResult testName="m" outcome="passed"/></Results></TestRun>',
    { passed: 1, failed: 1 },
  ],
  [
    'TRX: a run that failed, in small letters',
    '<TestRun><Results><UnitTestResult testName="n" outcome="passed"/></Results><ResultSummary outcome="failed"/></TestRun>',
    { passed: 1, failed: 1 },
  ],
  [
    'TRX: a counter beside a failure that it lists',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Failed"/></Results><ResultSummary outcome="Failed"><Counters failed="4"/></ResultSummary></TestRun>',
    { failed: 2 },
  ],
  [
    'xUnit: a failure that one assembly counts beside an error that another one lists',
    '<assemblies><assembly name="a.dll" failed="1" errors="0"/><assembly name="b.dll" failed="0" errors="1"><errors><error type="fixture-cleanup" name="F"><failure><message>no</message></failure></error></errors></assembly></assemblies>',
    { failed: 2 },
  ],
  [
    'a counter of Playwright beside a failure that it lists',
    {
      config: { rootDir: '/' },
      suites: [
        {
          title: 'a.spec.ts',
          specs: [
            {
              title: 'n',
              tests: [{ status: 'unexpected', expectedStatus: 'passed', results: [{ status: 'failed' }] }],
            },
          ],
        },
      ],
      stats: { unexpected: 3 },
    },
    { failed: 2 },
  ],
  [
    'a counter with a fraction or blanks',
    suite('failures="1.0" errors=" 1 "', test()),
    { passed: 1, failed: 1 },
  ],
  [
    'NUnit: a run that failed',
    '<test-run result="Failed" failed="0"><test-suite type="Assembly" result="Failed" site="Child"><test-case name="a" result="Passed"/></test-suite></test-run>',
    { passed: 1, failed: 1 },
  ],
  [
    'NUnit: a counter of the run',
    '<test-run result="Passed" failed="2"><test-case name="a" result="Failed"/></test-run>',
    { failed: 2 },
  ],
  [
    'NUnit: a suite that was cancelled',
    '<test-run result="Failed" failed="0"><test-suite type="Assembly" name="x" result="Failed" label="Cancelled"><failure><message>cancelled</message></failure><test-case name="a" result="Passed"/></test-suite></test-run>',
    { passed: 1, failed: 1 },
  ],
  [
    'NUnit: a set-up whose cases were skipped',
    '<test-run result="Failed"><test-suite type="TestFixture" name="x" result="Failed" site="SetUp"><failure><message>boom</message></failure><test-case name="a" result="Skipped"/></test-suite></test-run>',
    { skipped: 1, failed: 1 },
  ],
  [
    'xUnit: a counter of an assembly',
    '<assemblies><assembly name="a.dll" failed="1" errors="1"><collection><test name="a" result="Pass"/></collection></assembly></assemblies>',
    { passed: 1, failed: 1 },
  ],
  [
    'TRX: a counter',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Completed"><Counters failed="1"/></ResultSummary></TestRun>',
    { passed: 1, failed: 1 },
  ],
  [
    'TRX: a run that was aborted',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="PassedButRunAborted"/></TestRun>',
    { passed: 1, failed: 1 },
  ],
  [
    'Playwright: its stats',
    { config: { rootDir: '/w' }, suites: [], stats: { unexpected: 3 } },
    { failed: 1 },
  ],
  [
    'CTRF: a status in capitals, and a counter that is a text',
    { results: { summary: { failed: '2' }, tests: [{ name: 'a', status: 'FAILED', duration: 1 }] } },
    { failed: 2 },
  ],
];

/** Counters that say no more than the tests do. */
const plain: [string, string, Counts][] = [
  [
    'Gradle with mergeReruns, which counts attempts',
    suite(
      'tests="2" skipped="0" failures="1" errors="0" timestamp="2026-11-20T09:00:00" hostname="ci"',
      test('<flakyFailure message="no">no</flakyFailure>'),
    ),
    { failed: 1, passed: 1 },
  ],
  [
    'TRX, whose counters have rows and their parents',
    '<TestRun><Results><UnitTestResult testName="p" outcome="Failed"><InnerResults><UnitTestResult testName="p (1)" outcome="Failed"/><UnitTestResult testName="p (2)" outcome="Timeout"/></InnerResults></UnitTestResult></Results><ResultSummary outcome="Failed"><Counters failed="2" timeout="1"/></ResultSummary></TestRun>',
    { failed: 2 },
  ],
  [
    'JUnit, whose suites say that they failed because a test did',
    `<testsuites status="failed">${suite('status="failed"', test(failure), test())}</testsuites>`,
    { failed: 1, passed: 1 },
  ],
  ['TestCafe, which counts a failure twice', suite('failures="1" errors="1"', test(failure)), { failed: 1 }],
  [
    'Boost, whose errors are a part of its failures',
    suite('failures="2" errors="1"', test(failure), test('<error message="x"/>')),
    { failed: 2 },
  ],
  [
    'gotestsum, which counts lines of stderr',
    `<testsuites errors="2"><testsuite name="p"><properties><property name="go.version" value="go1.24"/></properties>${test()}</testsuite></testsuites>`,
    { passed: 1 },
  ],
  [
    'Catch2 with a test that may fail',
    suite('failures="0" skipped="1"', test(`<skipped message="TEST_CASE tagged with !mayfail"/>${failure}`)),
    { known_fail: 1 },
  ],
  [
    'ctest with a test that asks to be skipped',
    suite('', test('<skipped message="SKIP_RETURN_CODE=77"/>', 'status="notrun"')),
    { skipped: 1 },
  ],
];

describe('importers: what a report says of its own', () => {
  for (const [name, report, counts] of red)
    it(`is a failed result: ${name}`, async () => expect(await countsOf(report)).to.deep.equal(counts));

  for (const [name, report, counts] of plain)
    it(`is no other failure: ${name}`, async () => expect(await countsOf(report)).to.deep.equal(counts));

  it('is a failed result of a report that is cut off, in every format with counters, and in an open case', async () => {
    const cut = async (report: string) => (await countsOf(report, true)).failed ?? 0;
    expect(
      await cut(
        '<test-run result="Failed" failed="2"><test-suite type="Assembly"><test-case name="a" result="Passed"/><test-case na',
      ),
    ).to.equal(1);
    expect(
      await cut(
        '<assemblies><assembly name="a" failed="1"><collection><test name="a" result="Pass"/><test nam',
      ),
    ).to.equal(1);
    expect(await cut(`<testsuite name="s">${test()}<testcase name="b"><failure message="boom">sta`)).to.equal(
      1,
    );
  });

  it('of a report that is cut off tells how many failures it counts that were not read', async () => {
    const unread = async (report: string, partial = true) => {
      const entry = (await entriesOf(report, { partial })).at(-1);
      return entry?.type === 'summary' ? entry.summary.failures_unread : null;
    };
    const cut: [string, number][] = [
      [`<testsuites failures="4"><testsuite name="s" failures="3">${test(failure)}<testcase na`, 3],
      ['<test-run result="Failed" failed="2"><test-case name="a" result="Passed"/><test-case na', 2],
      ['<assemblies><assembly name="a" failed="2"><collection><test name="a" result="Fail"/><test nam', 1],
      [`<testsuite name="s">${test()}<testcase na`, 0],
    ];
    for (const [report, count] of cut) expect(await unread(report), report).to.equal(count);
    expect(await unread(suite('failures="3"', test(failure)), false)).to.equal(0);
  });

  it('is a failed result of a parent of rows in TRX, without a message and beside another failure', async () => {
    const parent =
      '<UnitTestResult testName="p" outcome="Failed"><InnerResults><UnitTestResult testName="p (1)" outcome="Passed"/></InnerResults></UnitTestResult>';
    const other = '<UnitTestResult testName="o" outcome="Failed"/>';
    expect(await countsOf(`<TestRun><Results>${parent}${other}</Results></TestRun>`)).to.deep.equal({
      passed: 1,
      failed: 2,
    });
  });

  it('is found in a report of Playwright that is cut off at any place, once its test is complete', async () => {
    const spec = (title: string, status: string) => ({
      title,
      tests: [{ status: status === 'passed' ? 'expected' : 'unexpected', results: [{ status }] }],
    });
    const report = JSON.stringify({
      config: { rootDir: '/' },
      suites: [
        { title: 'a.spec.ts', specs: [spec('one', 'passed')] },
        {
          title: 'b.spec.ts',
          specs: [spec('two', 'failed'), spec('three', 'failed')],
          suites: [{ title: 'inner', specs: [spec('four', 'failed'), spec('five', 'passed')] }],
        },
      ],
    });
    const ends = ['one', 'two', 'three', 'four', 'five'].map(
      (title) => report.indexOf(']}]', report.indexOf(title)) + 2,
    );
    for (let length = ends[0]!; length < report.length; length += 1) {
      const complete = ends.filter((end) => end <= length).length;
      const { passed = 0, failed = 0, skipped = 0 } = await countsOf(report.slice(0, length), true);
      expect([passed + failed + skipped, failed], report.slice(0, length)).to.deep.equal([
        complete,
        Math.min(Math.max(complete - 1, 0), 3),
      ]);
    }
  });
});
