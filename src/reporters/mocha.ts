/** `testledger/mocha`: a reporter of mocha that posts beside another one, which prints. */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Hook, MochaOptions, Runnable, Runner, Test } from 'mocha';
import { errorFields, type LiveItem, type ReportedError } from '../client/live/item.js';
import { startLiveRun } from '../client/live/live-run.js';
import { instantOf, ownTime } from '../client/live/own-clock.js';
import type { LiveRunOptions } from '../client/live/settings.js';
import { NAME_SEPARATOR, testName } from '../test-name.js';

/** By `--reporter-option`, all values are texts. */
export type MochaReporterOptions = LiveRunOptions & {
  /** The reporter that prints: the name of one of mocha's, or of a package. `spec` without it, `none` for no output. */
  reporter?: string;
};

type Reporter = { done?: (failures: number, end: (failures: number) => void) => void };
type ReporterClass = new (runner: Runner, options: MochaOptions) => Reporter;

/** Mocha calls it with `new`. */
export default function testledgerReporter(runner: Runner, options: MochaOptions = {}): Reporter {
  const own = optionsOf(options);
  const printing = printingReporter(own.reporter ?? 'spec', runner, options);
  // A dry run calls every test passed.
  const run = startLiveRun({ ...own, tool: 'mocha', runsTests: options.dryRun !== true });
  // A test may change the folder.
  const shownFile = shownFrom(process.cwd());
  const startedAt = new Map<Runnable, number>();
  /** The failed attempts of the tests that run again. In parallel mode tests of several files can wait here. */
  const earlier = new Map<string, LiveItem[]>();

  /** What a result is made of, as it is now: the hooks after a test may change it. */
  function finished(test: Test | Hook, status: LiveItem['status'], error?: unknown): Finished {
    const started = startedAt.get(test);
    startedAt.delete(test);
    const { duration, file } = test;
    const failure = status === 'failed' ? errorFields([errorOf(error, test)]) : null;
    return { path: titlePathOf(test), file, status, failure, attempt: retryOf(test) + 1, started, duration };
  }
  function add(test: Test | Hook, ended: Finished): void {
    const attempts = earlier.size === 0 ? undefined : earlier.get(keyOf(test));
    if (attempts === undefined && ended.failure === null) return run.addLater(() => itemOf(ended, shownFile));
    earlier.delete(keyOf(test));
    run.add(...(attempts ?? []), itemOf(ended, shownFile));
  }

  runner.on('test', (test) => void startedAt.set(test, ownTime()));
  runner.on('pass', (test) => add(test, finished(test, 'passed')));
  runner.on('pending', (test) => add(test, finished(test, 'skipped')));
  runner.on('fail', (test, error) => add(test, finished(test, 'failed', error)));
  runner.on('retry', (test: Test, error: unknown) => {
    const key = keyOf(test);
    earlier.set(key, [...(earlier.get(key) ?? []), itemOf(finished(test, 'failed', error), shownFile)]);
  });

  return {
    done(failures, end) {
      for (const attempts of earlier.values()) run.add(...attempts);
      // A test that replaced timers or sockets can leave a post without an end. Then the process ends by itself, and
      // must not say that all tests passed.
      const before = process.exitCode;
      if (failures > 0) process.exitCode = Math.min(failures, 255);
      void run.finish().then(() => {
        process.exitCode = before;
        if (typeof printing?.done === 'function') printing.done(failures, end);
        else end(failures);
      });
    },
  };
}

function optionsOf({ reporterOption, reporterOptions }: MochaOptions & { reporterOption?: unknown }) {
  const given = (reporterOption ?? reporterOptions ?? {}) as Record<string, unknown>;
  const flag = (name: string) => (given[name] === 'false' ? { [name]: false } : {});
  return { ...given, ...flag('complete'), ...flag('attachments') } as MochaReporterOptions;
}

type Finished = {
  path: readonly string[];
  file: string | undefined;
  status: LiveItem['status'];
  /** Null unless it failed. */
  failure: ReturnType<typeof errorFields> | null;
  attempt: number;
  /** Milliseconds since 1970. */
  started: number | undefined;
  duration: number | undefined;
};

function itemOf(
  { path, file, status, failure, attempt, started, duration }: Finished,
  shownFile: (file: string) => string,
): LiveItem {
  const suite = path.slice(0, -1).join(NAME_SEPARATOR);
  return {
    name: testName(path),
    status,
    attempt,
    duration_ms: duration,
    started_at: started === undefined ? undefined : instantOf(started),
    error_message: failure?.error_message,
    metadata: {
      ...(file !== undefined && { file: shownFile(file) }),
      ...(suite !== '' && { suite }),
      ...(failure && { error: failure.error }),
    },
  };
}

/** Paths from this folder. The tests of a file mostly come one after the other, so the last one is remembered. */
function shownFrom(folder: string): (file: string) => string {
  let last = { file: '', shown: '' };
  return (file) => {
    if (file !== last.file) last = { file, shown: relative(folder, file).replaceAll('\\', '/') };
    return last.shown;
  };
}

function errorOf(error: unknown, test: Test | Hook): ReportedError {
  const { name, message, stack, expected, actual, showDiff } = (
    typeof error === 'object' && error !== null ? error : { message: String(error) }
  ) as Error & { expected?: unknown; actual?: unknown; showDiff?: boolean };
  return {
    type: name,
    message,
    stack,
    ...(showDiff !== false && { expected, actual }),
    ...((test as { type?: string }).type === 'hook' && { hook: test.title }),
  };
}

/** The parallel mode sends plain objects in place of tests; their functions are those of mocha's serialiser. */
function titlePathOf(test: Test | Hook): string[] {
  return typeof test.titlePath === 'function' ? test.titlePath() : [test.title];
}

/** The types of mocha leave it out. Hooks are not repeated by themselves. */
function retryOf(test: Test | Hook): number {
  const { currentRetry } = test as unknown as { currentRetry?: () => number };
  return currentRetry?.call(test) ?? 0;
}

function keyOf(test: Test | Hook): string {
  return [test.file ?? '', ...titlePathOf(test)].join('\n');
}

/** Null for none. A reporter that cannot be loaded is one line: the tests run without output. */
function printingReporter(name: string, runner: Runner, options: MochaOptions): Reporter | null {
  if (name === 'none') return null;
  try {
    const Found = reporterClass(name);
    return new Found(runner, options);
  } catch (error) {
    process.stderr.write(
      `testledger: the reporter "${name}" cannot be loaded: ${(error as Error).message}\n`,
    );
    return null;
  }
}

/** From the mocha that runs, or else from the working folder: this package brings no mocha of its own. */
function reporterClass(name: string): ReporterClass {
  const places = [realpathSync(process.argv[1] ?? process.cwd()), join(process.cwd(), 'package.json')];
  const loads = places.map((place) => createRequire(place));
  const found = firstLoaded(loads, 'mocha') as
    { reporters: Record<string, ReporterClass> } | { default: never };
  const mocha = 'default' in found ? (found.default as { reporters: Record<string, ReporterClass> }) : found;
  const own = mocha.reporters[name];
  if (own !== undefined) return own;
  const other = firstLoaded(loads, name) as ReporterClass | { default: ReporterClass };
  return 'default' in other ? other.default : other;
}

function firstLoaded(loads: readonly NodeJS.Require[], name: string): unknown {
  let first: unknown;
  for (const load of loads) {
    try {
      return load(name);
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

// Mocha before 12 loads a reporter by `require`, which returns what has this name in a module like this one.
export { testledgerReporter as 'module.exports' };
