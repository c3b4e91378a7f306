import { outcomes, type Expected } from './values/outcomes.js';

const cucumber: Expected[] = [
  [
    'cucumber/cucumber-js.ndjson',
    'reads retries and rows: 9 scenarios (1 failed, 1 undefined, 1 pending, 1 skipped, 5 passed)',
    'passed Cart › adds 15ms at 2026-11-30T01:25:48.257Z',
    'passed Cart › rows - #1.1 25ms at 2026-11-30T01:25:48.360Z',
    'passed Cart › rows - #1.2 11ms at 2026-11-30T01:25:48.400Z',
    'passed Cart › rows of 1 15ms at 2026-11-30T01:25:48.422Z',
    'failed Cart › payment › is flaky #1 12ms at 2026-11-30T01:25:48.449Z | first time',
    '  + attachment: "hello"',
    'passed Cart › payment › is flaky #2 8ms at 2026-11-30T01:25:48.476Z',
    'skipped Cart › payment › skipped one 9ms at 2026-11-30T01:25:48.536Z',
    'failed Cart › wrong count #1 27ms at 2026-11-30T01:25:48.285Z | Expected values to be strictly equal:\n\n2 !== 3\n',
    '  + system-out.txt: "added 2\\n"',
    '  + attachment: "hello"',
    'failed Cart › wrong count #2 25ms at 2026-11-30T01:25:48.323Z | Expected values to be strictly equal:\n\n2 !== 3\n',
    '  + system-out.txt: "added 2\\n"',
    '  + attachment: "hello"',
    'failed Cart › payment › undefined one 6ms at 2026-11-30T01:25:48.502Z | The step is undefined: When nobody wrote this',
    'failed Cart › payment › pending one 7ms at 2026-11-30T01:25:48.517Z | The step is pending: When it is pending',
  ],
  [
    'cucumber/no-strict.ndjson',
    'takes an undefined step for a skip where the run passed',
    'skipped waits 500ms at 2023-11-14T22:13:21.000Z',
  ],
  [
    'cucumber/run-failed.ndjson',
    'fails for a file that cannot be parsed, and for a hook of the run',
    "failed features/broken.feature › parse error | (3:5): expected: #EOF, got 'Whatever'",
    'failed AfterAll: stop the server | no',
  ],
  [
    'cucumber/verdict-alone.ndjson',
    'fails where only the run says that it failed',
    'failed test run | a formatter failed',
  ],
];

/** The messages of each version say a failure in other words: from 12 on without the name of the error. */
const edges = (name: string): string[] => [
  'passed Größe › fährt',
  'failed Edge › ambiguous one | Multiple step definitions match:',
  'failed Edge › undefined one | The step is undefined: When nobody wrote this',
  'failed Edge › pending one | The step is pending: When it is pending',
  'skipped Edge › skipped on condition | skipped',
  ...[1, 2].flatMap((n) => [
    `failed Edge › hook fails #${n} | ${name}no browser`,
    `failed Edge › after hook fails #${n} | ${name}cannot close`,
    `failed Edge › times out #${n} | ${name}function timed out, ensure the promise resolves within 300 milliseconds`,
    `failed Edge › a rule › inside #${n} | ${name === '' ? '' : 'Type'}${name}it is null`,
  ]),
  `failed Edge › flaky #1 | ${name}the first time`,
  'passed Edge › flaky #2',
  'passed Edge › rows 1',
  'passed Edge › rows 2',
  'passed Edge › rows 1',
  'skipped Edge › empty | the scenario has no steps',
];
const EDGES = '14 scenarios (4 failed, 1 ambiguous, 1 undefined, 1 pending, 1 skipped, 5 passed, 1 unknown)';

/** Those with a version are of Cucumber itself, which printed these counts. */
const cucumberKinds: Expected[] = [
  ['cucumber/edges-12.9.ndjson', `reads all kinds of steps and hooks: ${EDGES}`, ...edges('')],
  ['cucumber/parallel-12.9.ndjson', `reads parallel workers: ${EDGES}`, ...edges('')],
  [
    'cucumber/edges-7.3.ndjson',
    `reads version 7, of which each step says whether it is retried: ${EDGES}`,
    ...edges('Error: '),
  ],
  [
    'cucumber/no-strict-12.9.ndjson',
    'fails for a pending step without --strict too, where an undefined one failed the run: 2 scenarios (1 undefined, 1 pending)',
    'failed Edge › undefined one | The step is undefined: When nobody wrote this',
    'failed Edge › pending one | The step is pending: When it is pending',
  ],
  [
    'cucumber/fail-fast-12.9.ndjson',
    'reads a run that stops at the first failure: 5 scenarios (1 failed, 4 passed)',
    'passed Größe › fährt',
    'passed Edge › rows 1',
    'passed Edge › rows 2',
    'passed Edge › rows 1',
    'failed Edge › a rule › inside | it is null',
  ],
  [
    'cucumber/parse-error-12.9.ndjson',
    'fails for a file that cannot be parsed, behind which Cucumber ends without a run',
    "failed bad/b.feature › parse error | (4:3): expected: #EOF, #TableRow, #DocStringSeparator, #StepLine, #TagLine, #ExamplesLine, #ScenarioLine, #RuleLine, #Comment, #Empty, got 'Whatever'",
  ],
  [
    'cucumber/ruby-retry.ndjson',
    'takes what is started again for an attempt, whatever is announced of it',
    'failed Shop › scenario 1 #1 | first time',
    'passed Shop › scenario 1 #2',
    'failed Shop › scenario 2 | always',
    'failed Shop › scenario 3 #1 | not announced',
    'passed Shop › scenario 3 #2',
  ],
  [
    'cucumber/announced-after-a-pass.ndjson',
    'keeps a pass behind which an attempt is announced that never comes',
    'passed Shop › scenario 1',
  ],
  [
    'cucumber/two-runs.ndjson',
    'judges each of two runs in one file by its own verdict',
    'failed Shop › scenario 1 | The step is undefined: Given a step',
    'passed Shop › scenario 2',
  ],
  [
    'cucumber/worker-died.ndjson',
    'keeps the failures of scenarios that did not end, and of attempts behind which none came',
    'failed Shop › scenario 1 | it is wrong',
    'skipped Shop › scenario 2 | the scenario did not end',
    'failed Shop › scenario 3 | it broke',
  ],
  [
    'cucumber/exception-of-run.ndjson',
    'fails for an exception of the run beside a scenario that failed',
    'failed Shop › scenario 1 | it is wrong',
    'failed test run | cannot drop the database',
  ],
  [
    'cucumber/protobuf.ndjson',
    'reads what protobuf writes, which leaves out that a run did not pass',
    'passed Shop › scenario 1',
    'failed test run | The report says that the run failed, and no scenario did.',
  ],
  [
    'cucumber/hooks-of-the-run.ndjson',
    'has a hook of the run that failed once',
    'failed BeforeAll | Error: no database',
  ],
  [
    'cucumber/hostile.ndjson',
    'reads names of prototypes, ids that come twice, wrong types and scenarios that are not defined',
    'failed Shop › __proto__ | ' + 'a'.repeat(32_768),
    // Half of a pair in UTF-8 is three bytes that UTF-8 does not have, in two places.
    'skipped Shop › bell nul half \ufffd\ufffd\ufffd | exploded',
    'failed (no name) | of a scenario that is not defined',
    'warning unnamed 1',
    'warning illegal_characters 6',
    // A message of 70,000 characters is the stack too.
    'warning cut_metadata 1',
  ],
  ['cucumber/utf-16.ndjson', 'reads UTF-16', 'failed Shop › Größe | größer'],
  ['cucumber/cut.ndjson', 'refuses a file that ends before its run does', 'error incomplete'],
  [
    'cucumber/nested-rules.ndjson',
    'reads outlines in rules, and rules that are inside of others',
    'passed Deep › one › inside - #1.1',
    'skipped Deep › one › inside - #1.2 | not on Windows',
  ],
];

outcomes('Cucumber messages', 'cucumber', cucumber, cucumberKinds);
