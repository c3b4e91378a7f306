/** Test runners as their users run them: each runs a small project, writes its report and prints its counts. */
import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projects, repository } from '../../reporters/running.js';
import { installGoProgram, type GoProgram } from '../../stack/install.js';

/** Attempts that a later one supersedes are in none of them. */
export type Printed = { passed: number; failed: number; skipped: number; known_fail: number };

export type RealRunner = {
  name: string;
  /** A folder with a project, below `test`. */
  project: string;
  /** Runs the project in `cwd`, a copy of it, and leaves its reports there. Returns what it has printed. */
  run(cwd: string, home: string): Promise<string>;
  /** A pattern of the files that it writes. */
  reports: string;
  counts(printed: string): Partial<Printed>;
};

const run = promisify(execFile);
const cache = join(repository, '.cache');

const gotestsum: GoProgram = {
  name: 'gotestsum',
  package: 'gotest.tools/gotestsum',
  version: 'v1.13.0',
  sum: 'h1:+Lh454O9mu9AMG1APV4o0y7oDYKyik/3kBOiCqiEpRo=',
};

const PYTEST = '9.2.0';
const robotPackages = ['robotframework==7.5'];
const allurePackages = [`pytest==${PYTEST}`, 'allure-pytest==2.16.2'];

export const realRunners: readonly RealRunner[] = [
  {
    name: "mocha's xunit",
    project: `${projects}mocha`,
    run: (cwd, home) => mocha(cwd, home),
    reports: 'out.xml',
    counts: mochaCounts,
  },
  {
    name: "Vitest's junit",
    project: `${projects}vitest`,
    run: (cwd, home) =>
      node(cwd, [
        join(home, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=junit',
        '--outputFile.junit=out.xml',
      ]),
    reports: 'out.xml',
    counts: lineCounts(/^\s*Tests .*$/m),
  },
  {
    name: 'jest-junit',
    project: `${projects}jest`,
    run: (cwd, home) =>
      node(cwd, [
        join(home, 'node_modules/jest/bin/jest.js'),
        '--reporters=default',
        '--reporters=jest-junit',
      ]),
    reports: 'junit.xml',
    counts: jestJunitCounts,
  },
  {
    name: "Playwright's junit",
    project: `${projects}playwright`,
    run: (cwd, home) => playwright(cwd, home, ['junit', { outputFile: 'out.xml', includeRetries: true }]),
    reports: 'out.xml',
    counts: playwrightCounts,
  },
  {
    name: "Playwright's json",
    project: `${projects}playwright`,
    run: (cwd, home) => playwright(cwd, home, ['json', { outputFile: 'out.json' }]),
    reports: 'out.json',
    // Its line counts the failure that was expected as a pass; the JSON says which test that is.
    counts(printed) {
      const { passed = 0, ...others } = playwrightCounts(printed);
      return { ...others, passed: passed - 1, known_fail: 1 };
    },
  },
  {
    name: 'pytest',
    project: ownProject('pytest'),
    run: async (cwd) =>
      output('python3', ['-m', 'pytest', '-p', 'no:cacheprovider', '--junitxml=out.xml'], cwd, {
        PYTHONPATH: await installPytest(),
        PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
      }),
    reports: 'out.xml',
    counts: pytestCounts,
  },
  {
    name: 'gotestsum',
    project: ownProject('go'),
    run: async (cwd) => output(await installGoProgram(gotestsum), ['--junitfile', 'out.xml'], cwd),
    reports: 'out.xml',
    counts: lineCounts(/^DONE .*$/m),
  },
  {
    name: 'go test -json, by gotestsum',
    project: ownProject('go'),
    run: async (cwd) => output(await installGoProgram(gotestsum), ['--jsonfile', 'out.json'], cwd),
    reports: 'out.json',
    counts: lineCounts(/^DONE .*$/m),
  },
  {
    name: 'Robot Framework',
    project: ownProject('robot'),
    run: async (cwd) =>
      output('python3', ['-m', 'robot', '--log', 'NONE', '--report', 'NONE', 'shop.robot'], cwd, {
        PYTHONPATH: await installPython('robot', robotPackages),
      }),
    reports: 'output.xml',
    counts: lineCounts(/^\d+ tests, .*$/m),
  },
  {
    name: 'Cucumber',
    project: ownProject('cucumber'),
    run: (cwd, home) => node(cwd, [join(home, 'node_modules/@cucumber/cucumber/bin/cucumber.js')]),
    reports: 'messages.ndjson',
    counts: cucumberCounts,
  },
  {
    name: 'allure-vitest',
    project: `${projects}vitest`,
    run: (cwd, home) =>
      node(cwd, [
        join(home, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=allure-vitest/reporter',
      ]),
    reports: 'allure-results',
    // It leaves out the test that is skipped; the one that is to be written is there.
    counts(printed) {
      const { skipped = 0, ...others } = lineCounts(/^\s*Tests .*$/m)(printed);
      return { ...others, skipped: skipped - 1 };
    },
  },
  {
    name: 'allure-pytest',
    project: ownProject('pytest'),
    run: async (cwd) =>
      output(
        'python3',
        ['-m', 'pytest', '-p', 'no:cacheprovider', '-p', 'allure_pytest', '--alluredir=allure-results'],
        cwd,
        {
          PYTHONPATH: await installPython('allure', allurePackages),
          PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
        },
      ),
    reports: 'allure-results',
    counts: pytestCounts,
  },
  {
    name: "node's own",
    project: ownProject('node'),
    run: (cwd) =>
      node(cwd, [
        '--test',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        '--test-reporter=junit',
        '--test-reporter-destination=out.xml',
      ]),
    reports: 'out.xml',
    counts: (printed) => ({
      passed: number(printed, /^ℹ pass (\d+)/m),
      failed: number(printed, /^ℹ fail (\d+)/m),
      skipped: number(printed, /^ℹ skipped (\d+)/m),
    }),
  },
  {
    name: "Maven's surefire",
    project: ownProject('maven'),
    run: (cwd) => output('mvn', ['-B', '-ntp', `-Dmaven.repo.local=${cache}/maven`, 'test'], cwd),
    reports: 'target/surefire-reports/*.xml',
    counts: surefireCounts,
  },
];

/** A copy of the project below the runners, so that its files find them. */
export async function copied(project: string, home: string): Promise<string> {
  const cwd = await mkdtemp(join(home, 'real.'));
  await cp(project, cwd, { recursive: true });
  return cwd;
}

/**
 * Mocha has one reporter, so it runs twice: once to write, and once to print. mocha-junit-reporter 2.2 is no reporter of
 * mocha 12, which cannot make an instance of it.
 */
async function mocha(cwd: string, home: string): Promise<string> {
  const script = join(home, 'node_modules/mocha/bin/mocha.js');
  const run = (...args: string[]) =>
    node(cwd, [script, '--no-config', ...args, 'outcomes.spec.mjs', 'second.spec.mjs']);
  await run('--reporter', 'xunit', '--reporter-option', 'output=out.xml');
  return run('--reporter', 'spec');
}

function playwright(cwd: string, home: string, reporter: readonly unknown[]): Promise<string> {
  return output(process.execPath, [join(home, 'node_modules/@playwright/test/cli.js'), 'test'], cwd, {
    OUTPUT: join(cwd, 'test-results'),
    REPORTERS: JSON.stringify([['list'], reporter]),
  });
}

function node(cwd: string, args: readonly string[]): Promise<string> {
  return output(process.execPath, args, cwd);
}

/** What it prints, whatever its exit code: the projects have tests that fail. */
export async function output(
  program: string,
  args: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NO_COLOR: '1', ...more };
  const options = { cwd, env, timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
  const { stdout, stderr } = await run(program, args, options).catch(
    (error: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
      if (typeof error.code !== 'number') throw error;
      return { stdout: error.stdout ?? '', stderr: error.stderr ?? '' };
    },
  );
  return `${stdout}\n${stderr}`;
}

export function installPytest(): Promise<string> {
  return installPython('pytest', [`pytest==${PYTEST}`]);
}

/** Pure Python, so a folder on the path is enough. */
async function installPython(name: string, packages: readonly string[]): Promise<string> {
  const home = join(cache, packages.join('+'));
  const isThere = () =>
    access(home).then(
      () => true,
      () => false,
    );
  if (await isThere()) return home;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, `${name}.`));
  try {
    const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--target', join(work, 'lib')];
    await run('python3', ['-m', 'pip', 'install', ...options, ...packages], { timeout: 600_000 });
    await rename(join(work, 'lib'), home).catch(async (error: unknown) => {
      // Another process may have been first: then its folder is used.
      if (!(await isThere())) throw error;
    });
    return home;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export function ownProject(name: string): string {
  return join(repository, 'test/importers/real', name);
}

function number(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

function mochaCounts(printed: string): Partial<Printed> {
  return {
    passed: number(printed, /^ *(\d+) passing/m),
    failed: number(printed, /^ *(\d+) failing/m),
    skipped: number(printed, /^ *(\d+) pending/m),
  };
}

/** Counts before their words, in one line. gotestsum prints all tests, and not those that passed. */
function lineCounts(line: RegExp): (printed: string) => Partial<Printed> {
  return (printed) => {
    const text = line.exec(printed)?.[0] ?? '';
    const failed = number(text, /(\d+) fail/);
    const skipped = number(text, /(\d+) skipped/) + number(text, /(\d+) todo/);
    const all = number(text, /DONE (\d+) tests/);
    return { failed, skipped, passed: all > 0 ? all - failed - skipped : number(text, /(\d+) passed/) };
  };
}

/** jest-junit writes a test that is still to be written as one that passed. */
function jestJunitCounts(printed: string): Partial<Printed> {
  const { passed = 0, failed = 0, skipped = 0 } = lineCounts(/^Tests: .*$/m)(printed);
  const todo = number(printed, /^Tests: .* (\d+) todo/m);
  return { passed: passed + todo, failed, skipped: skipped - todo };
}

/** A flaky test has passed. A failure that was expected is a pass for Playwright. */
function playwrightCounts(printed: string): Partial<Printed> {
  const last = printed.slice(printed.lastIndexOf(' failed\n') - 6);
  return {
    passed: number(last, /^ *(\d+) passed/m) + number(last, /^ *(\d+) flaky/m),
    failed: number(last, /^ *(\d+) failed/m),
    skipped: number(last, /^ *(\d+) skipped/m),
  };
}

/** pytest counts the test whose tear-down fails as a pass and as an error: it has failed. */
function pytestCounts(printed: string): Partial<Printed> {
  const line = /^=+ (.*) in [\d.]+s =+$/m.exec(printed)?.[1] ?? '';
  const errors = number(line, /(\d+) error/);
  return {
    passed: number(line, /(\d+) passed/) + number(line, /(\d+) xpassed/) - 1,
    failed: number(line, /(\d+) failed/) + errors,
    skipped: number(line, /(\d+) skipped/),
    known_fail: number(line, /(\d+) xfailed/),
  };
}

/** The last line with counts is that of all classes. A flaky test has passed. */
function surefireCounts(printed: string): Partial<Printed> {
  const lines = [...printed.matchAll(/Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)/g)];
  const [all = 0, failures = 0, errors = 0, skipped = 0] = (lines.at(-1) ?? []).slice(1).map(Number);
  return { passed: all - failures - errors - skipped, failed: failures + errors, skipped };
}

/** `9 scenarios (5 failed, 1 skipped, 3 passed)`: what is undefined or pending fails, as it does for its exit code. */
function cucumberCounts(printed: string): Partial<Printed> {
  const line = /^\d+ scenarios? .*$/m.exec(printed)?.[0] ?? '';
  const of = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return {
    passed: of('passed'),
    skipped: of('skipped'),
    failed: of('failed') + of('ambiguous') + of('undefined') + of('pending'),
  };
}
