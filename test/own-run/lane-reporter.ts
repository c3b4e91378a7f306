/**
 * The reporter of the mocha processes of the runner: mocha's `json`, and two files more. One has the number of tests of each
 * file, written before the first test runs. The other has what a reporter of mocha needs to know of each test: mocha's own
 * file leaves out the titles of the blocks.
 */
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { errorFields } from '../../src/client/live/item.js';

/** One event of mocha, with all that `testledger/mocha` reads of its test. */
export type LaneEvent = {
  name: 'pass' | 'fail' | 'pending' | 'retry';
  title: string;
  titlePath: string[];
  /** `hook` for a set-up or tear-down that failed. */
  type: string;
  file: string | undefined;
  duration: number | undefined;
  retry: number;
  error: LaneError | null;
};

export type LaneError = {
  name?: string;
  message: string;
  stack?: string;
  expected?: string;
  actual?: string;
};

type Ran = Mocha.Test & { type: string; currentRetry(): number };

/** Its options are those of `json`, and `counts` and `events`: the paths of the other files. */
export default class LaneReporter extends Mocha.reporters.JSON {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { counts, events: file } = options.reporterOptions as { counts: string; events: string };
    const counted: Record<string, number> = {};
    runner.suite.eachTest(({ file = '' }) => (counted[file] = (counted[file] ?? 0) + 1));
    writeFileSync(counts, JSON.stringify(counted));
    const events: LaneEvent[] = [];
    const add = (name: LaneEvent['name'], test: Mocha.Test, error?: unknown): void => {
      events.push(eventOf(name, test as Ran, error));
    };
    runner.on('pass', (test) => add('pass', test));
    runner.on('pending', (test) => add('pending', test));
    runner.on('fail', (test, error: unknown) => add('fail', test, error));
    runner.on('retry', (test: Mocha.Test, error: unknown) => add('retry', test, error));
    runner.once('end', () => writeFileSync(file, JSON.stringify(events)));
  }
}

function eventOf(name: LaneEvent['name'], test: Ran, error: unknown): LaneEvent {
  const { title, type, file, duration } = test;
  return {
    name,
    title,
    titlePath: test.titlePath(),
    type,
    file,
    duration,
    retry: test.currentRetry(),
    error: error === undefined ? null : laneError(error),
  };
}

/** As texts: what a test compared may not fit into JSON. */
function laneError(thrown: unknown): LaneError {
  const { name, message, stack, expected, actual } = (
    thrown instanceof Error ? thrown : { message: String(thrown) }
  ) as Error & { expected?: unknown; actual?: unknown };
  const fields = errorFields([{ type: name, message, stack, expected, actual }]);
  const { type, ...texts } = fields.error;
  return { message: fields.error_message, ...texts, ...(type !== undefined && { name: type }) };
}
