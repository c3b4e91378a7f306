import { outcomes, type Expected } from './outcomes.js';

const junit: Expected[] = [
  {
    file: 'junit/root-testsuites.xml',
    states:
      'takes what a total counts as failed beyond all cases for one failure, and believes no total of tests',
    lines: [
      'passed calc › calc.Add › adds 12ms',
      'failed calc › calc.Add › carries 1500ms | expected 10, got 9',
      'failed suite | The report counts 6 failed here that are in no test.',
    ],
  },
  { file: 'junit/root-testsuite.xml', states: 'reads a lone testsuite', lines: ['passed lone › works'] },
  {
    file: 'junit/nested-suites.xml',
    states: 'joins the names of nested suites, without repeats',
    lines: ['passed a › one', 'passed a › b › two', 'passed a › three'],
  },
  {
    file: 'junit/two-roots.xml',
    states: 'refuses a second root with its place',
    lines: ['error malformed at 2:12'],
  },
  { file: 'junit/bom.xml', states: 'reads past a byte order mark', lines: ['passed s › été'] },
  {
    file: 'junit/two-boms-and-space.xml',
    states: 'mends white characters before the XML declaration',
    lines: ['passed s › late declaration', 'warning leading_space 4'],
  },
  {
    file: 'junit/no-prolog.xml',
    states: 'reads a document without a declaration',
    lines: ['passed s › plain'],
  },
  {
    file: 'junit/prefixed.xml',
    states: 'reads elements with a namespace prefix',
    lines: ['skipped s › prefixed'],
  },
  { file: 'junit/iso-8859-1.xml', states: 'decodes ISO-8859-1', lines: ['passed s › déjà vu'] },
  { file: 'junit/windows-1252.xml', states: 'decodes windows-1252', lines: ['passed s › “quoted” €'] },
  {
    file: 'junit/utf-16le.xml',
    states: 'decodes UTF-16 by its byte order mark',
    lines: ['passed s › 日本語'],
  },
  {
    file: 'junit/utf-16be-no-bom.xml',
    states: 'decodes UTF-16 without a byte order mark',
    lines: ['passed s › 日本語'],
  },
  {
    file: 'junit/utf-16-declared-utf-8-written.xml',
    states: 'reads UTF-8 that says it is UTF-16',
    lines: ['passed s › 日本語'],
  },
  {
    file: 'junit/unknown-encoding.xml',
    states: 'refuses an unknown encoding',
    lines: ['error unknown_encoding'],
  },
  {
    file: 'junit/invalid-utf-8.xml',
    states: 'mends bytes that are no UTF-8',
    lines: ['passed s › bad � byte', 'warning illegal_characters 1'],
  },
  {
    file: 'junit/surefire.xml',
    states: 'leaves out a class that the suite names',
    lines: ['passed com.acme.BarTest › adds 100ms', 'passed com.acme.BarTest › com.acme.BarTest.test › test'],
  },
  {
    file: 'junit/pytest-xunit1.xml',
    states: 'reads xunit1 of pytest',
    lines: ['passed pytest › tests.test_a.TestX › test_b[1-2] 1ms'],
  },
  {
    file: 'junit/pytest-xunit2.xml',
    states: 'gives a test of pytest the same name in xunit2',
    lines: ['passed pytest › tests.test_a.TestX › test_b[1-2] 1ms'],
  },
  {
    file: 'junit/mocha-junit-reporter.xml',
    states: 'gives a test of mocha its titles',
    lines: ['passed Calculator › adds two 2ms'],
  },
  {
    file: 'junit/mocha-jenkins-mode.xml',
    states: 'gives a test of mocha the same name in the mode for Jenkins',
    lines: ['passed Calculator › adds two 2ms'],
  },
  {
    file: 'junit/mocha-nested.xml',
    states: 'finds the suites of mocha in the full titles',
    lines: [
      'passed top 0ms',
      'passed the shop › a cart › is empty 0ms',
      'passed the shop › a cart › when full › costs 0ms',
      'passed the shop › a cart › when full › when full 0ms',
      'passed the shop › a till › opens 0ms',
      'failed the shop › "after all" hook 0ms | busy',
      'passed the yard › is open 0ms',
    ],
  },
  {
    file: 'junit/vitest.xml',
    states: 'gives a test of Vitest the name that the reporter gives',
    lines: [
      'passed src/cart.spec.ts › cart › when empty › costs nothing 2ms',
      'passed src/cart.spec.ts › cart › cart › holds items where count › 0 1ms',
      'skipped src/cart.spec.ts › cart › is written 0ms',
      'passed src/cart.spec.ts › top 1ms',
      'failed src/cart.spec.ts › a hook 0ms | closed',
      'passed src/windows.spec.ts › works 1ms',
      'failed src/broken.spec.ts 0ms | Cannot find module',
    ],
  },
  {
    file: 'junit/vitest-other-name.xml',
    states: 'leaves titles and machines of a tool that it does not know',
    lines: ['passed a.spec.ts › cart > costs'],
  },
  {
    file: 'junit/jest-junit.xml',
    states: 'leaves out a class that equals the title',
    lines: ['passed Calculator › Calculator adds two 3ms'],
  },
  {
    file: 'junit/playwright.xml',
    states: 'tells the projects of Playwright apart',
    lines: [
      'passed login.spec.ts › login › works [chromium] 500ms',
      'passed login.spec.ts › login › works [firefox] 600ms',
    ],
  },
  {
    file: 'junit/playwright-retries.xml',
    states: 'reads the retries of Playwright',
    lines: [
      'failed a.spec.ts › flaky [chromium] #1 100ms | expect(received).toBe(expected)',
      '  + system-out.txt: "first try"',
      'passed a.spec.ts › flaky [chromium] #2 300ms',
      'failed a.spec.ts › broken [chromium] #1 100ms | Error: locator.click: Timeout ]]> 1000ms',
      'failed a.spec.ts › broken [chromium] #2 200ms | again',
    ],
  },
  {
    file: 'junit/nextest.xml',
    states: 'reads a flaky failure that counts as a failure',
    lines: [
      'passed crate::bin › mod::ok 4ms at 2026-03-04T04:06:08.000Z',
      'failed crate::bin › mod::flaky_fail #1 100ms | boom',
      'failed crate::bin › mod::flaky_fail #2 200ms | passed on retry, which counts as a failure',
    ],
  },
  {
    file: 'junit/phpunit.xml',
    states: 'reads classes of PHPUnit once',
    lines: ['passed Unit › Tests\\FooTest › testX 10ms'],
  },
  {
    file: 'junit/gtest.xml',
    states: 'reads parameters and disabled tests of GoogleTest',
    lines: [
      'passed Math/AddTest › Adds/0 1ms at 2026-03-04T05:06:07.500Z',
      'skipped Math/AddTest › DISABLED_Slow',
    ],
  },
  {
    file: 'junit/cypress.xml',
    states: 'gives tests the file of the root suite before them',
    lines: ['passed todo › todo adds', 'passed cart › cart fills'],
  },
  {
    file: 'junit/catch2.xml',
    states: 'takes file and line of a failure',
    lines: ['failed exe › exe.global › Factorials 1ms | factorial(0) == 1'],
  },
  {
    file: 'junit/windows-paths.xml',
    states: 'removes the folder of a checkout from names',
    lines: ['passed src/a.test.js › works'],
  },
  {
    file: 'junit/minimal-attributes.xml',
    states: 'names a case without a name',
    lines: ['passed (no name)', 'passed (x)', 'warning unnamed 1'],
  },
  {
    file: 'junit/long-name.xml',
    states: 'keeps long names apart by their hash',
    lines: [
      'passed s › éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…ffb69b5edee1',
      'passed s › éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…1da3c9eeb1d2',
    ],
  },
  { file: 'junit/multi-line-name.xml', states: 'writes a name in one line', lines: ['passed s › two lines'] },
  {
    file: 'junit/several-outcomes.xml',
    states: 'makes one failed result of several failures and a skip',
    lines: ['failed s › all | first', 'failed s › three | a'],
  },
  {
    file: 'junit/pytest-phases.xml',
    states: 'reads set-up, tear-down and expected failures of pytest',
    lines: [
      'failed pytest › t › teardown | failed on teardown with "OSError: busy"',
      'failed pytest › t › setup | failed on setup with "fixture"',
      'known_fail pytest › t › xfail',
      'skipped pytest › t › skip',
    ],
  },
  {
    file: 'junit/status-attributes.xml',
    states: 'takes a status attribute only where no element decides',
    lines: [
      'skipped s › disabled',
      'skipped s › notrun',
      'skipped s › skipped',
      'failed s › failed',
      'passed s › passed',
      'passed s › run',
      'failed s › disabled and failed | no',
    ],
  },
  {
    file: 'junit/message-places.xml',
    states: 'finds a message in the attribute, the text or the type',
    lines: [
      'failed s › attribute | only here',
      'failed s › text | only there',
      'failed s › nothing',
      'failed s › type | java.lang.NullPointerException',
    ],
  },
  {
    file: 'junit/mocha-hook.xml',
    states: 'finds the hook in the name of a case',
    lines: ['failed S › S "before each" hook for "works" | no db'],
  },
  {
    file: 'junit/suite-error.xml',
    states: 'makes a failed result of an error of a suite',
    lines: ['failed com.acme.BrokenIT | cannot start'],
  },
  {
    file: 'junit/no-cases.xml',
    states: 'fails where a report counts failures and has no case',
    lines: ['failed suite | The report counts 3 failed here that are in no test.'],
  },
  {
    file: 'junit/surefire-flaky.xml',
    states: 'numbers the attempts of Surefire',
    lines: [
      'failed com.acme.T › flaky #1 | 1st',
      '  + system-out.txt: "out 1"',
      'failed com.acme.T › flaky #2 | 2nd',
      'passed com.acme.T › flaky #3 400ms',
      'failed com.acme.T › broken #1 100ms | a',
      'failed com.acme.T › broken #2 | b',
      'failed com.acme.T › broken #3 | c',
    ],
  },
  {
    file: 'junit/rerun-then-passed.xml',
    states: 'takes reruns for earlier attempts of a case that passed',
    lines: ['failed s › merged #1 | first', 'passed s › merged #2'],
  },
  {
    file: 'junit/repeated-failed-then-passed.xml',
    states: 'keeps repeated cases apart where a later one passed',
    lines: ['failed s › t | 1', 'failed s › t | 2', 'passed s › other', 'passed s › t 1000ms'],
  },
  {
    file: 'junit/repeated-passed-then-failed.xml',
    states: 'keeps repeated cases apart where the pass came first',
    lines: ['passed s › t', 'failed s › t | 1', 'failed s › t | 2'],
  },
  {
    file: 'junit/repeated-passed.xml',
    states: 'keeps repeated cases that did not fail',
    lines: ['passed s › sub', 'passed s › sub', 'skipped s › sub'],
  },
  {
    file: 'junit/repeated-failed-then-skipped.xml',
    states: 'keeps a failure before a skip of the same name',
    lines: ['failed s › t | 1', 'skipped s › t'],
  },
  {
    file: 'junit/numbers.xml',
    states: 'reads durations, and leaves out impossible ones',
    lines: [
      'passed s › thousands 2503100ms',
      'passed s › more thousands 1660209ms',
      'passed s › exponent 0ms',
      'passed s › nan',
      'passed s › missing',
      'passed s › empty',
      'passed s › negative',
      'passed s › nanoseconds',
      'passed s › comma 250ms',
      'warning bad_number 2',
      'warning duration_out_of_range 1',
    ],
  },
  {
    file: 'junit/timestamps.xml',
    states: 'reads instants in all their forms',
    lines: [
      'passed s › no zone at 2026-03-04T05:06:07.000Z',
      'passed s › offset at 2026-03-04T02:36:07.000Z',
      'passed s › rfc 1123 at 2026-03-04T05:06:07.000Z',
      'passed s › seconds at 2026-03-04T05:06:07.000Z',
      'passed s › milliseconds at 2026-03-04T05:06:07.123Z',
      'passed s › bad',
      'warning bad_time 1',
    ],
  },
  {
    file: 'junit/outputs.xml',
    states: 'keeps the output of failed cases, suites and the report',
    lines: [
      'failed s › fails | no',
      '  + system-out.txt: "one two"',
      '  + system-err.txt: "err"',
      'passed s › passes',
      'of s',
      '  + system-out.txt: "of the suite"',
      'of the report',
      '  + system-out.txt: "of the root"',
    ],
  },
  {
    file: 'junit/attachments.xml',
    states: 'finds attachments in output and properties, each once',
    lines: [
      'failed s › t | no',
      '  + system-out.txt: "\\n[[ATTACHMENT|shots/"',
      '  + from property.png: shots/from property.png',
      '  + run.log: logs/run.log',
      '  + a b.png: shots/a b.png',
      '  + win.png: ..\\shots\\win.png',
      '  + video.webm: https://ci.example/video.webm',
      '  + attachment.png: "hello"',
    ],
  },
  {
    file: 'junit/attachment-slashes.xml',
    states: 'takes paths with other slashes for one file',
    lines: ['passed s › t', '  + a b.txt: sub\\a b.txt', '  + a b.txt: other/a b.txt'],
  },
  {
    file: 'junit/control-characters.xml',
    states: 'mends illegal characters, and removes escape sequences',
    lines: ['failed s › nul � bell � | red', 'warning illegal_characters 6'],
  },
  {
    file: 'junit/references.xml',
    states: 'mends references to illegal characters',
    lines: ['failed s › esc red nul � lone � fine A | #x1B[31m stays', 'warning illegal_characters 4'],
  },
  {
    file: 'junit/escaped-references.xml',
    states: 'leaves escaped references beside one to an illegal character',
    lines: [
      'failed s › attribute &#39;it&#x27;s&#160;&#27; | m',
      '  + system-out.txt: "text &#39;it"',
      'passed s › none &#27;',
      'warning illegal_characters 4',
    ],
  },
  {
    file: 'junit/cdata-end-in-text.xml',
    states: 'mends the end mark of CDATA in a text',
    lines: ['failed s › t | m', 'warning illegal_characters 1'],
  },
  {
    file: 'junit/unescaped-ampersand.xml',
    states: 'names the place of an unescaped ampersand',
    lines: ['error malformed at 3:19'],
  },
  {
    file: 'junit/undefined-entity.xml',
    states: 'refuses an undefined entity',
    lines: ['error malformed at 1:64'],
  },
  {
    file: 'junit/prototype-entity.xml',
    states: 'knows no entity that the parser does not define',
    lines: ['error malformed at 1:50'],
  },
];

outcomes('JUnit files', 'junit', junit);
