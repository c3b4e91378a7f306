/** The suites: which files they have, and what they need around them. */
import { availableParallelism } from 'node:os';

export type Suite = {
  /** The options of mocha. */
  config: string;
  spec: readonly string[];
  ignore: readonly string[];
  /** How long a mocha process may stay open after its report, 30 s by default. */
  openAfterReportMs?: number;
  /** How many mocha processes run side by side; without it, by the number of cores. */
  lanes?: number;
  /** Those that measure how long an answer takes: they run before all others, with nothing beside them. */
  alone?: RegExp;
};

/** The tests that start no program, but for a chosen few: the README, an import, and a server that is killed. */
const all: Suite = {
  // With three on two cores, one sixth of their time was idle.
  lanes: 2 * availableParallelism(),
  config: '.mocharc.json',
  spec: ['dist/test/**/*.test.js'],
  ignore: [],
};

/** The tests that start the program, its command line or another node process, and those that put a server under load. */
const processes: Suite = {
  config: '.mocharc.json',
  spec: ['dist/test/**/*.process.js', 'dist/test/**/*.load.js'],
  ignore: [],
  alone: /\/slow-downs\.process\.js$/,
};

/**
 * On real servers, which each mocha process starts for itself, since a fail point of MongoDB is one for all clients. Three
 * files run at a time: most of them wait for a server that comes back or for a lease that ends, and two leave a third of
 * two cores idle. Of `test/http` it has what reads and writes the stores; parsers, limits and connections are the same
 * before any, and so are the states of 180,000 results: their fold is compared there by random histories (`truth.stack`).
 */
const stack: Suite = {
  lanes: 3,
  config: '.mocharc.stack.json',
  spec: [
    'dist/test/stack/**/*.stack.js',
    'dist/test/adapters/**/*.stack.js',
    'dist/test/http/surface-*/**/*.test.js',
    'dist/test/http/surface-*/**/*.load.js',
    'dist/test/http/idempotency.test.js',
    'dist/test/http/isolation.test.js',
    'dist/test/http/own-writes.load.js',
    'dist/test/http/request-id.test.js',
  ],
  ignore: ['dist/test/http/surface-b/runs/matrix.load.js'],
};

/**
 * The reporters, the pytest plugin and the importers, with the test frameworks that they are for. The first run installs the
 * frameworks. No test needs a server beside its own. Two files run at a time, because each test waits for processes that it
 * starts.
 */
const tools: Suite = {
  lanes: 2,
  config: '.mocharc.json',
  spec: ['dist/test/**/*.tools.js'],
  ignore: [],
};

/** The pages in Chromium. One browser alone leaves half of two cores idle. */
const browser: Suite = {
  lanes: 2,
  config: '.mocharc.browser.json',
  spec: ['dist/test/browser/**/*.browser.js'],
  ignore: [],
};

/** @throws Error that names the suites. */
export function suiteNamed(name: string): Suite {
  const suites: Record<string, Suite> = { all, process: processes, stack, tools, browser };
  const suite = suites[name];
  if (suite === undefined)
    throw new Error(`there is no suite "${name}", only ${Object.keys(suites).join(', ')}`);
  return suite;
}
