/** The lines of `go test -json`, as `go doc test2json` says them, and those of `go build -json` between them. */
import { testName } from '../../test-name.js';
import { boundedText, type BoundedText } from '../values/bounded-text.js';
import type { ImporterContext } from '../importer.js';
import { textOf, type JsonObject } from '../json/values.js';
import type { LinesImporter } from '../lines/importer.js';
import { durationFromMs } from '../values/numbers.js';
import { bounds, errorSaying, reported, type Reported } from '../reported.js';
import { reportedInstant } from '../values/reported-instant.js';
import { heldFailures } from './held-failures.js';
import { hungTests, type HungTests } from './hung-tests.js';
import { testOutput, type TestOutput } from './output.js';

type Test = {
  name: string;
  /** Output alone begins no test: what a goroutine prints may come after its test has ended. */
  isBegun: boolean;
  startedAt: string | null;
  isPaused: boolean;
  output: TestOutput;
  at: number;
};

type Package = {
  name: string;
  /** How often it ran: gotestsum runs it again for the tests that failed. */
  round: number;
  isOpen: boolean;
  tests: Map<string, Test>;
  failed: number;
  /** It failed in any of its rounds, and a result says so. */
  isSaid: boolean;
  output: BoundedText;
  hung: HungTests;
};

/** Where the output of builds is kept until a package says that it needs it. */
const MOST_BUILDS = 1_000;
const BUILD_TEXT = 8 * 1_024;

export function goImporter(context: ImporterContext): LinesImporter {
  const { sink, line } = context;
  const packages = new Map<string, Package>();
  const builds = new Map<string, BoundedText>();
  /** Builds that failed, until a package says that it failed for them. */
  const failedBuilds = new Set<string>();
  /** Packages of which a line that is no JSON says that they failed. */
  const failedInText = new Set<string>();
  /** The build whose output comes in lines that are no JSON, as Go up to 1.23 has it. */
  let build = '';
  const held = heldFailures(sink);
  sink.facts({ tool: 'go' });

  function packageOf(name: string): Package {
    let known = packages.get(name);
    if (known === undefined) {
      known = { ...closed(name), round: 0, isSaid: false };
      packages.set(name, known);
    }
    if (!known.isOpen) {
      Object.assign(known, closed(name), { isOpen: true, round: known.round + 1 });
    }
    return known;
  }

  function testOf(inside: Package, name: string, time: unknown): Test {
    const known = inside.tests.get(name);
    if (known !== undefined) return known;
    const startedAt = reportedInstant(sink, textOf(time) ?? undefined, line());
    const opened = { name, isBegun: false, startedAt, isPaused: false, output: testOutput(), at: line() };
    inside.tests.set(name, opened);
    return opened;
  }

  function object(event: JsonObject): void {
    const action = textOf(event.Action) ?? '';
    const output = typeof event.Output === 'string' ? event.Output : '';
    const path = textOf(event.ImportPath);
    if (path !== null) {
      if (action === 'build-output') buildOutput(path, output);
      if (action === 'build-fail' && failedBuilds.size < MOST_BUILDS) failedBuilds.add(path);
      return;
    }
    // An object of another program.
    if (action === '') return;
    const name = textOf(event.Package) ?? '';
    const test = textOf(event.Test);
    if (test !== null) ofTest(packageOf(name), test, action, output, event);
    else ofPackage(packageOf(name), action, output, event);
  }

  function ofTest(inside: Package, name: string, action: string, output: string, event: JsonObject): void {
    const test = testOf(inside, name, event.Time);
    switch (action) {
      case 'output':
        inside.hung.add(output);
        return test.output.add(output);
      case 'run':
      case 'pause':
      case 'cont':
        test.isBegun = true;
        test.isPaused = action === 'pause';
        return;
      case 'pass':
      case 'bench':
      case 'fail':
      case 'skip': {
        const status = action === 'fail' ? 'failed' : action === 'skip' ? 'skipped' : 'passed';
        ended(inside, test, status, elapsed(event.Elapsed));
        return;
      }
      default:
    }
  }

  function ofPackage(inside: Package, action: string, output: string, event: JsonObject): void {
    switch (action) {
      case 'output':
        inside.hung.add(output);
        return inside.output.add(output);
      case 'pass':
      case 'skip':
      case 'fail':
        closePackage(inside, action === 'fail', textOf(event.FailedBuild));
        return;
      default:
    }
  }

  function ended(
    inside: Package,
    test: Test,
    status: Reported['status'],
    durationMs: number | null,
    why: string | null = null,
  ): void {
    inside.tests.delete(test.name);
    if (status === 'failed') inside.failed += 1;
    const message = status === 'passed' ? null : test.output.message();
    const benchmark = test.name.startsWith('Benchmark') ? test.output.benchmark() : null;
    const result: Reported = {
      ...reported(testName([inside.name, test.name]), status, test.at),
      durationMs,
      startedAt: test.startedAt,
      error: status === 'failed' ? errorOf(test.output, message ?? why) : null,
      reason: status === 'skipped' ? (why ?? message) : null,
      suite: inside.name === '' ? null : inside.name,
      extra: benchmark === null ? {} : { benchmark },
      output: { stdout: test.output.text(), stderr: '' },
    };
    held.add({ result, inside: inside.name, round: inside.round, root: test.name.split('/')[0]! });
  }

  /** A test that has not ended by now never will: its process did. */
  function closePackage(inside: Package, isFailed: boolean, failedBuild: string | null): void {
    for (const test of inside.tests.values()) {
      const printed = test.output.verdict(test.name);
      if (printed !== null) ended(inside, test, printed.status, printed.durationMs);
      else if (!test.isBegun && !test.output.panicked() && !test.name.startsWith('Benchmark'))
        inside.tests.delete(test.name);
    }
    const open = [...inside.tests.values()];
    const isAlone = inside.failed === 0 && !open.some((each) => each.output.panicked());
    const isBlamed = (test: Test) =>
      isFailed && (test.output.panicked() || inside.hung.names.has(test.name) || (isAlone && !test.isPaused));
    const blamed = open.filter(isBlamed);
    const text = packageText(inside);
    for (const test of open) {
      const why = inside.hung.names.has(test.name) ? inside.hung.message : 'The test did not end.';
      if (blamed.includes(test)) ended(inside, test, 'failed', null, `${why} ${text}`.trim());
      else if (!test.name.startsWith('Benchmark'))
        ended(inside, test, 'skipped', null, 'the test did not end');
      else if (test.output.benchmark() !== null) ended(inside, test, 'passed', null);
    }
    if (isFailed && inside.failed === 0) sink.outside(failureOf(inside, failedBuild, text));
    if (isFailed) {
      inside.isSaid = true;
      failedBuilds.delete(failedBuild ?? '');
    }
    inside.isOpen = false;
    inside.tests = new Map();
    held.close(inside.name);
  }

  /** What failed before Go 1.24, or where `go` itself was stopped, without an event that says so. */
  function unsaid(): void {
    for (const name of failedInText) if (packages.get(name)?.isSaid !== true) failedBuilds.add(name);
    for (const path of failedBuilds) sink.outside(failureOf({ name: path.split(' ')[0]! }, path, ''));
  }

  function failureOf(inside: { name: string }, failedBuild: string | null, text: string): Reported {
    const built =
      builds
        .get(failedBuild ?? inside.name)
        ?.text()
        .trim() ?? '';
    const message = built || text || 'The package failed, and no test of it did.';
    return {
      ...reported(inside.name === '' ? 'package' : inside.name, 'failed', line()),
      error: { ...errorSaying(message), hook: built === '' ? 'package' : 'build' },
      suite: inside.name === '' ? null : inside.name,
    };
  }

  function buildOutput(path: string, output: string): void {
    if (output.startsWith('# ')) return;
    let text = builds.get(path);
    if (text === undefined && builds.size < MOST_BUILDS) builds.set(path, (text = boundedText(BUILD_TEXT)));
    text?.add(output);
  }

  return {
    object,
    text(written) {
      const header = /^# (\S+)/.exec(written);
      const failed = /^FAIL\t(\S+)(?: \[(?:setup|build) failed\]|\t)/.exec(written)?.[1];
      if (header !== null) build = header[1]!;
      else if (failed === undefined) return void (build !== '' && buildOutput(build, `${written}\n`));
      else if (failedInText.size < MOST_BUILDS) failedInText.add(failed);
    },
    missing() {
      const open = [...packages.values()].find(({ isOpen }) => isOpen);
      return open === undefined ? null : `The file ends before the package ${open.name.slice(0, 200)} does.`;
    },
    end() {
      unsaid();
      held.end();
    },
  };
}

function closed(name: string) {
  const output = boundedText(BUILD_TEXT);
  return { name, isOpen: false, tests: new Map<string, Test>(), failed: 0, output, hung: hungTests() };
}

function elapsed(seconds: unknown): number | null {
  return typeof seconds === 'number' ? durationFromMs(seconds * 1_000).ms : null;
}

function errorOf(output: TestOutput, message: string | null): Reported['error'] {
  const isPanic = output.panicked();
  return {
    message,
    type: isPanic ? 'panic' : null,
    stack: isPanic ? output.text().slice(0, bounds.stack) : null,
    hook: null,
  };
}

/** What a package printed beside its tests, without the verdict. */
function packageText({ output }: Package): string {
  return output
    .text()
    .split('\n')
    .filter(
      (text) => !/^(?:FAIL\b.*|PASS|exit status \d+|ok\s.*|testing: warning: no tests to run)$/.test(text),
    )
    .join('\n')
    .trim();
}
