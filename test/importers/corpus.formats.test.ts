import { outcomes, type Expected } from './values/outcomes.js';

const ctrf: Expected[] = [
  [
    'ctrf/current.json',
    'reads tests, files and facts of the run',
    'passed calc.test.ts › add › adds [chrome] 12ms at 2026-03-04T05:06:07.000Z',
    'failed fails 3ms | expected 1',
    '  + system-out.txt: "line 1\\nline 2"',
    '  + trace: out/trace.zip',
    '  + screenshot.png: "hello"',
  ],
  [
    'ctrf/retries.json',
    'reads attempts, whether the last one is listed or not',
    'failed final listed #1 4ms | first',
    '  + a: a.png',
    'passed final listed #2 5ms',
    'failed final not listed #1 6ms | first',
    'failed final not listed #2 7ms | last',
  ],
  [
    'ctrf/statuses.json',
    'keeps statuses that are neither passed nor failed as skipped',
    'skipped text suite › pending 0ms',
    'skipped other 0ms',
    'skipped skipped 0ms',
    'skipped strange 0ms',
    'warning unknown_status 1',
  ],
  ['ctrf/snake-case.json', 'reads the field names of old writers', 'failed (t) 2ms | m'],
  ['ctrf/unknown-fields.json', 'counts unknown fields', 'passed (t) 1ms', 'warning unknown_fields 2'],
  [
    'ctrf/summary-counts-more.json',
    'fails where the summary counts a failure that no test has',
    'passed one 1ms',
    'failed report | The report counts 1 failed here that is in no test.',
  ],
  ['ctrf/empty.json', 'warns of a report without a test', 'warning no_cases 1'],
  [
    'ctrf/durations.json',
    'leaves out impossible durations',
    'passed negative',
    'passed huge',
    'warning bad_number 1',
    'warning duration_out_of_range 1',
  ],
  ['ctrf/lone-surrogate.json', 'mends text that the API does not take', 'failed lone � nul 1ms | �'],
  ['ctrf/bom.json', 'reads past a byte order mark', 'passed été 1ms'],
];

const playwright: Expected[] = [
  [
    'playwright/current.json',
    'reads attempts, files and projects',
    'failed login.spec.ts › top [chromium] #1 10ms at 2026-03-04T05:06:07.000Z | Error: no',
    '  + system-out.txt: "out"',
    '  + system-err.txt: "hello"',
    '  + screenshot: /home/runner/work/app/app/test-results/a.png',
    '  + note: "hello"',
    'passed login.spec.ts › top [chromium] #2 11ms at 2026-03-04T05:06:08.000Z',
    'passed login.spec.ts › login › works [chromium] 5ms',
    'failed login.spec.ts › login › works [firefox] 30000ms | Test timeout of 30000ms exceeded.',
  ],
  [
    'playwright/before-stats.json',
    'reads the form before stats',
    'skipped a.spec.ts › skipped 0ms',
    'skipped a.spec.ts › never run',
  ],
  [
    'playwright/expected-failures.json',
    'reads expected failures, and a pass that was not expected',
    'known_fail a.spec.ts › fails as expected 1ms',
    'failed a.spec.ts › passes unexpectedly 1ms | The test passed, and was expected to fail.',
    'skipped a.spec.ts › interrupted 1ms',
  ],
  [
    'playwright/global-error.json',
    'makes a failed result of an error outside of tests',
    'failed b.spec.ts › error outside of tests | SyntaxError: unexpected token',
  ],
];

const trx: Expected[] = [
  [
    'trx/mstest.trx',
    'takes the class from the definition of a test',
    'passed Acme.CalcTests › Adds 1234ms at 2026-03-04T04:06:07.000Z',
    'failed Acme.CalcTests › Fails 500ms | Assert.AreEqual failed.',
    '  + system-out.txt: "hello"',
    '  + shot.png: run_1/In/dir/host\\shot.png',
  ],
  ['trx/full-names.trx', 'leaves out a class that the name has', 'passed Acme.CalcTests.Adds(x: 1)'],
  [
    'trx/inner-results.trx',
    'counts rows instead of their parent',
    'passed Rows (0)',
    'failed Rows (1) | row 1',
  ],
  [
    'trx/outcomes.trx',
    'reads all outcomes',
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
  [
    'trx/text-messages.trx',
    'takes the message of the error, also where the runner added other messages after it',
    'failed Fails | expected 1, got 2',
    '  + system-out.txt: "hello"',
    'failed Has a note only | the only note',
  ],
  [
    'trx/no-outcome.trx',
    'takes a result without an outcome for an error, which is the default of the attribute',
    'failed Has a message | cannot start',
    'failed Has none | Error',
  ],
  [
    'trx/empty-inner-results.trx',
    'counts a result whose list of rows is empty',
    'failed Rows | no rows',
    'passed Passes',
  ],
  [
    'trx/run-files.trx',
    'finds files of the run',
    'passed only one',
    'of the report',
    '  + coverage.xml: host\\coverage.xml',
  ],
  [
    'trx/crash.trx',
    'fails where the test host crashed, and takes no line about a test for an error of the run',
    'passed T › One',
    'failed test run | The active test run was aborted. Reason: crashed.',
  ],
  [
    'trx/summary-alone.trx',
    'fails where only the run failed',
    'passed T › One',
    'failed test run | The report says Failed of the whole run, and no test failed.',
  ],
  [
    'trx/parent-failed.trx',
    'counts a parent that failed by itself beside its rows, and not one of which a row failed',
    'passed Reads (1)',
    'failed Reads | row 2 is malformed',
    'failed Adds (1) | no',
  ],
  ['trx/utf-16.trx', 'decodes UTF-16', 'passed größer'],
];

const nunit: Expected[] = [
  [
    'nunit/nunit3.xml',
    'reads results and labels of NUnit 3',
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
  [
    'nunit/one-time-hooks.xml',
    'counts a failed suite only where no case says it',
    'passed Acme.Down › Ok',
    'failed Acme.Down | TearDown : x',
    'failed Acme.Up › Never | OneTimeSetUp: y',
    'failed gone.dll | File not found',
  ],
  [
    'nunit/suite-alone.xml',
    'reads a suite without a run, and counts no suite that failed because the one around it did',
    'failed Acme.Up › Never | OneTimeSetUp: y',
  ],
  [
    'nunit/parameterised-fixtures.xml',
    'tells fixtures apart whose class is the same, so that a pass of one hides no failure of another',
    'failed Shop.LoginTests("chrome") › SignsIn | no form',
    'passed Shop.LoginTests("chrome") › Adds(1.5)',
    'passed Shop.LoginTests("chrome") › Without a full name',
    'passed Shop.LoginTests("firefox") › SignsIn',
    'passed Shop.ListTests<Int32> › Grows',
    'failed Shop.CardTests › Pays | declined',
    'passed Shop.CashTests › Pays',
    'passed Shop.Outer+Inner › Is nested',
  ],
  [
    'nunit/assertions.xml',
    'takes the message of the failure, which has those of all assertions',
    'failed Acme.T › Fails | Multiple failures or warnings in test:\n  1) total\n  2) tax',
    'skipped Acme.T › Is ignored',
  ],
  [
    'nunit/two-assemblies.xml',
    'takes a class of another assembly for another one, and only then names the assembly',
    'failed Shop.CartTests › Adds | no',
    'passed Shop.CartTests › Adds [Shop.Tests #2]',
    'passed Shop.CartTests › Adds [Other.Tests]',
    'passed Shop.OwnTests › Adds',
  ],
  ['nunit/xxe-file.xml', 'reads no file that a document type names', 'error malformed at 2:72'],
];

const xunit: Expected[] = [
  [
    'xunit/xunit2.xml',
    'reads results, traits and reasons of v2',
    'passed Acme.CalcTests.Adds(x: 1) 12ms',
    'failed Acme.CalcTests › says something else 500ms | Assert.Equal() Failure',
    '  + system-out.txt: "hello"',
    'skipped Acme.CalcTests.Skips 0ms',
  ],
  [
    'xunit/xunit3.xml',
    'reads files and sources of v3',
    'skipped Acme.T.A at 2026-03-04T05:06:08.000Z',
    'failed Acme.T.B | m',
    '  + note: "plain"',
    '  + shot: "hello"',
  ],
  [
    'xunit/two-assemblies.xml',
    'takes a class of another assembly for another one, and only then names the assembly',
    'failed Shop.CartTests.Adds | no',
    'passed Shop.CartTests.Adds [Shop.Tests .NETCoreApp,Version=v9.0]',
    'passed Shop.OwnTests.Adds',
    'passed Shop.CartTests › says something [Other.Tests]',
  ],
  [
    'xunit/repeated-assembly.xml',
    'keeps the tests of an assembly that comes again apart',
    'failed Shop.CartTests.Adds | no',
    'passed Shop.CartTests.Adds',
  ],
  [
    'xunit/clean-up-error.xml',
    'makes a failed result of an error of a fixture',
    'failed Database collection › test-collection-cleanup | busy',
    'passed A.B',
  ],
];

outcomes('CTRF files', 'ctrf', ctrf);
outcomes("files of Playwright's JSON reporter", 'playwright', playwright);
outcomes('TRX files', 'trx', trx);
outcomes('NUnit files', 'nunit', nunit);
outcomes('xUnit files', 'xunit', xunit);
