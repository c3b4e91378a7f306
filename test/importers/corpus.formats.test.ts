import { outcomes, type Expected } from './outcomes.js';

const ctrf: Expected[] = [
  {
    file: 'ctrf/current.json',
    states: 'reads tests, files and facts of the run',
    lines: [
      'passed calc.test.ts › add › adds [chrome] 12ms at 2026-03-04T05:06:07.000Z',
      'failed fails 3ms | expected 1',
      '  + system-out.txt: "line 1\\nline 2"',
      '  + trace: out/trace.zip',
      '  + screenshot.png: "hello"',
    ],
  },
  {
    file: 'ctrf/retries.json',
    states: 'reads attempts, whether the last one is listed or not',
    lines: [
      'failed final listed #1 4ms | first',
      '  + a: a.png',
      'passed final listed #2 5ms',
      'failed final not listed #1 6ms | first',
      'failed final not listed #2 7ms | last',
    ],
  },
  {
    file: 'ctrf/statuses.json',
    states: 'keeps statuses that are neither passed nor failed as skipped',
    lines: [
      'skipped text suite › pending 0ms',
      'skipped other 0ms',
      'skipped skipped 0ms',
      'skipped strange 0ms',
      'warning unknown_status 1',
    ],
  },
  {
    file: 'ctrf/snake-case.json',
    states: 'reads the field names of old writers',
    lines: ['failed (t) 2ms | m'],
  },
  {
    file: 'ctrf/unknown-fields.json',
    states: 'counts unknown fields',
    lines: ['passed (t) 1ms', 'warning unknown_fields 2'],
  },
  {
    file: 'ctrf/summary-counts-more.json',
    states: 'fails where the summary counts a failure that no test has',
    lines: ['passed one 1ms', 'failed report | The report counts 1 failed here that is in no test.'],
  },
  { file: 'ctrf/empty.json', states: 'warns of a report without a test', lines: ['warning no_cases 1'] },
  {
    file: 'ctrf/durations.json',
    states: 'leaves out impossible durations',
    lines: ['passed negative', 'passed huge', 'warning bad_number 1', 'warning duration_out_of_range 1'],
  },
  {
    file: 'ctrf/lone-surrogate.json',
    states: 'mends text that the API does not take',
    lines: ['failed lone � nul 1ms | �'],
  },
  { file: 'ctrf/bom.json', states: 'reads past a byte order mark', lines: ['passed été 1ms'] },
];

const playwright: Expected[] = [
  {
    file: 'playwright/current.json',
    states: 'reads attempts, files and projects',
    lines: [
      'failed login.spec.ts › top [chromium] #1 10ms at 2026-03-04T05:06:07.000Z | Error: no',
      '  + system-out.txt: "out"',
      '  + system-err.txt: "hello"',
      '  + screenshot: /home/runner/work/app/app/test-results/a.png',
      '  + note: "hello"',
      'passed login.spec.ts › top [chromium] #2 11ms at 2026-03-04T05:06:08.000Z',
      'passed login.spec.ts › login › works [chromium] 5ms',
      'failed login.spec.ts › login › works [firefox] 30000ms | Test timeout of 30000ms exceeded.',
    ],
  },
  {
    file: 'playwright/before-stats.json',
    states: 'reads the form before stats',
    lines: ['skipped a.spec.ts › skipped 0ms', 'skipped a.spec.ts › never run'],
  },
  {
    file: 'playwright/expected-failures.json',
    states: 'reads expected failures, and a pass that was not expected',
    lines: [
      'known_fail a.spec.ts › fails as expected 1ms',
      'failed a.spec.ts › passes unexpectedly 1ms | The test passed, and was expected to fail.',
      'skipped a.spec.ts › interrupted 1ms',
    ],
  },
  {
    file: 'playwright/global-error.json',
    states: 'makes a failed result of an error outside of tests',
    lines: ['failed b.spec.ts › error outside of tests | SyntaxError: unexpected token'],
  },
];

const trx: Expected[] = [
  {
    file: 'trx/mstest.trx',
    states: 'takes the class from the definition of a test',
    lines: [
      'passed Acme.CalcTests › Adds 1234ms at 2026-03-04T04:06:07.000Z',
      'failed Acme.CalcTests › Fails 500ms | Assert.AreEqual failed.',
      '  + system-out.txt: "hello"',
      '  + shot.png: run_1/In/dir/host\\shot.png',
    ],
  },
  {
    file: 'trx/full-names.trx',
    states: 'leaves out a class that the name has',
    lines: ['passed Acme.CalcTests.Adds(x: 1)'],
  },
  {
    file: 'trx/inner-results.trx',
    states: 'counts rows instead of their parent',
    lines: ['passed Rows (0)', 'failed Rows (1) | row 1'],
  },
  {
    file: 'trx/outcomes.trx',
    states: 'reads all outcomes',
    lines: [
      'failed is Aborted | Aborted',
      'failed is Timeout | Timeout',
      'failed is Error | Error',
      'passed is PassedButRunAborted',
      'passed is Warning',
      'passed is Completed',
      'skipped is NotExecuted',
      'skipped is Inconclusive',
      'skipped is NotRunnable',
    ],
  },
  {
    file: 'trx/text-messages.trx',
    states: 'takes the message of the error, also where the runner added other messages after it',
    lines: [
      'failed Fails | expected 1, got 2',
      '  + system-out.txt: "hello"',
      'failed Has a note only | the only note',
    ],
  },
  {
    file: 'trx/no-outcome.trx',
    states: 'takes a result without an outcome for an error, which is the default of the attribute',
    lines: ['failed Has a message | cannot start', 'failed Has none | Error'],
  },
  {
    file: 'trx/empty-inner-results.trx',
    states: 'counts a result whose list of rows is empty',
    lines: ['failed Rows | no rows', 'passed Passes'],
  },
  {
    file: 'trx/run-files.trx',
    states: 'finds files of the run',
    lines: ['passed only one', 'of the report', '  + coverage.xml: host\\coverage.xml'],
  },
  {
    file: 'trx/crash.trx',
    states: 'fails where the test host crashed, and takes no line about a test for an error of the run',
    lines: ['passed T › One', 'failed test run | The active test run was aborted. Reason: crashed.'],
  },
  {
    file: 'trx/summary-alone.trx',
    states: 'fails where only the run failed',
    lines: [
      'passed T › One',
      'failed test run | The report says Failed of the whole run, and no test failed.',
    ],
  },
  {
    file: 'trx/parent-failed.trx',
    states: 'counts a parent that failed by itself beside its rows, and not one of which a row failed',
    lines: ['passed Reads (1)', 'failed Reads | row 2 is malformed', 'failed Adds (1) | no'],
  },
  { file: 'trx/utf-16.trx', states: 'decodes UTF-16', lines: ['passed größer'] },
];

const nunit: Expected[] = [
  {
    file: 'nunit/nunit3.xml',
    states: 'reads results and labels of NUnit 3',
    lines: [
      'passed Acme.CalcTests › Adds(1,2) 12ms at 2026-03-04T05:06:07.000Z',
      'failed Acme.CalcTests › Fails 500ms | Expected: 1',
      '  + system-out.txt: "hello"',
      '  + shot.png: C:\\out\\shot.png',
      'failed Acme.CalcTests › Throws | System.Exception : x',
      'failed Acme.CalcTests › Cancels | Cancelled',
      'skipped Acme.CalcTests › Ignored',
      'skipped Acme.CalcTests › Unsure',
      'passed Acme.CalcTests › Warns',
    ],
  },
  {
    file: 'nunit/one-time-hooks.xml',
    states: 'counts a failed suite only where no case says it',
    lines: [
      'passed Acme.Down › Ok',
      'failed Acme.Down | TearDown : x',
      'failed Acme.Up › Never | OneTimeSetUp: y',
      'failed gone.dll | File not found',
    ],
  },
  {
    file: 'nunit/suite-alone.xml',
    states: 'reads a suite without a run, and counts no suite that failed because the one around it did',
    lines: ['failed Acme.Up › Never | OneTimeSetUp: y'],
  },
  {
    file: 'nunit/parameterised-fixtures.xml',
    states: 'tells fixtures apart whose class is the same, so that a pass of one hides no failure of another',
    lines: [
      'failed Shop.LoginTests("chrome") › SignsIn | no form',
      'passed Shop.LoginTests("chrome") › Adds(1.5)',
      'passed Shop.LoginTests("chrome") › Without a full name',
      'passed Shop.LoginTests("firefox") › SignsIn',
      'passed Shop.ListTests<Int32> › Grows',
      'failed Shop.CardTests › Pays | declined',
      'passed Shop.CashTests › Pays',
      'passed Shop.Outer+Inner › Is nested',
    ],
  },
  {
    file: 'nunit/assertions.xml',
    states: 'takes the message of the failure, which has those of all assertions',
    lines: [
      'failed Acme.T › Fails | Multiple failures or warnings in test:\n  1) total\n  2) tax',
      'skipped Acme.T › Is ignored',
    ],
  },
  {
    file: 'nunit/two-assemblies.xml',
    states: 'takes a class of another assembly for another one, and only then names the assembly',
    lines: [
      'failed Shop.CartTests › Adds | no',
      'passed Shop.CartTests › Adds [Shop.Tests #2]',
      'passed Shop.CartTests › Adds [Other.Tests]',
      'passed Shop.OwnTests › Adds',
    ],
  },
  {
    file: 'nunit/xxe-file.xml',
    states: 'reads no file that a document type names',
    lines: ['error malformed at 2:72'],
  },
];

const xunit: Expected[] = [
  {
    file: 'xunit/xunit2.xml',
    states: 'reads results, traits and reasons of v2',
    lines: [
      'passed Acme.CalcTests.Adds(x: 1) 12ms',
      'failed Acme.CalcTests › says something else 500ms | Assert.Equal() Failure',
      '  + system-out.txt: "hello"',
      'skipped Acme.CalcTests.Skips 0ms',
    ],
  },
  {
    file: 'xunit/xunit3.xml',
    states: 'reads files and sources of v3',
    lines: [
      'skipped Acme.T.A at 2026-03-04T05:06:08.000Z',
      'failed Acme.T.B | m',
      '  + note: "plain"',
      '  + shot: "hello"',
    ],
  },
  {
    file: 'xunit/two-assemblies.xml',
    states: 'takes a class of another assembly for another one, and only then names the assembly',
    lines: [
      'failed Shop.CartTests.Adds | no',
      'passed Shop.CartTests.Adds [Shop.Tests .NETCoreApp,Version=v9.0]',
      'passed Shop.OwnTests.Adds',
      'passed Shop.CartTests › says something [Other.Tests]',
    ],
  },
  {
    file: 'xunit/repeated-assembly.xml',
    states: 'keeps the tests of an assembly that comes again apart',
    lines: ['failed Shop.CartTests.Adds | no', 'passed Shop.CartTests.Adds'],
  },
  {
    file: 'xunit/clean-up-error.xml',
    states: 'makes a failed result of an error of a fixture',
    lines: ['failed Database collection › test-collection-cleanup | busy', 'passed A.B'],
  },
];

outcomes('CTRF files', 'ctrf', ctrf);
outcomes("files of Playwright's JSON reporter", 'playwright', playwright);
outcomes('TRX files', 'trx', trx);
outcomes('NUnit files', 'nunit', nunit);
outcomes('xUnit files', 'xunit', xunit);
