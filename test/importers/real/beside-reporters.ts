/** Runs of a project that write a report and post by our reporter at the same time. */
import { delimiter, join } from 'node:path';
import { projects, repository } from '../../reporters/running.js';
import { installPytest, output, ownProject } from './runners.js';

export type BesideReporter = {
  name: string;
  project: string;
  /** Runs the project in `cwd`, with the variables of the reporter. */
  run(cwd: string, home: string, env: Record<string, string>): Promise<string>;
  /** The report that it writes. */
  report: string;
  /** What the format cannot say: a line `status name` of the reporter as the report has it. */
  asWritten?: (line: string) => string;
};

export const besideReporters: readonly BesideReporter[] = [
  {
    name: "mocha's xunit",
    project: `${projects}mocha`,
    // Mocha has one reporter, so it runs twice.
    async run(cwd, home, env) {
      const bin = join(home, 'node_modules/mocha/bin/mocha.js');
      const files = ['outcomes.spec.mjs', 'second.spec.mjs'];
      await node(
        bin,
        ['--no-config', '--reporter', 'xunit', '--reporter-option', 'output=out.xml', ...files],
        cwd,
        {},
      );
      return node(bin, ['--no-config', '--reporter', 'testledger/mocha', ...files], cwd, env);
    },
    report: 'out.xml',
  },
  {
    name: "Vitest's junit",
    project: `${projects}vitest`,
    run(cwd, home, env) {
      const reporters = ['--reporter=testledger/vitest', '--reporter=junit', '--outputFile.junit=out.xml'];
      return node(join(home, 'node_modules/vitest/vitest.mjs'), ['run', ...reporters], cwd, env);
    },
    report: 'out.xml',
  },
  {
    name: 'jest-junit with templates',
    project: `${projects}jest`,
    run: (cwd, home, env) =>
      node(join(home, 'node_modules/jest/bin/jest.js'), [], cwd, { ...env, POSTING: '1', JUNIT: '1' }),
    report: 'junit.xml',
    asWritten: (line) =>
      withoutExpected(line).replace('skipped sums › is to be written', 'passed sums › is to be written'),
  },
  {
    name: "Playwright's junit",
    project: `${projects}playwright`,
    // Without the second option, colours leave their digits in the titles.
    run: (cwd, home, env) =>
      playwright(cwd, home, env, ['junit', { outputFile: 'out.xml', stripANSIControlSequences: true }]),
    report: 'out.xml',
    asWritten: withoutExpected,
  },
  {
    name: "Playwright's json",
    project: `${projects}playwright`,
    run: (cwd, home, env) => playwright(cwd, home, env, ['json', { outputFile: 'out.json' }]),
    report: 'out.json',
  },
  {
    name: 'pytest',
    project: ownProject('pytest'),
    run: async (cwd, _home, env) =>
      output(
        'python3',
        ['-m', 'pytest', '-p', 'no:cacheprovider', '-p', 'pytest_testledger.plugin', '--junitxml=out.xml'],
        cwd,
        {
          ...env,
          PYTHONPATH: [await installPytest(), join(repository, 'clients/pytest/src')].join(delimiter),
          PYTHONDONTWRITEBYTECODE: '1',
          PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
        },
      ),
    report: 'out.xml',
  },
];

/** JUnit has no failure that was expected. */
function withoutExpected(line: string): string {
  return line.replace(/^known_fail/, 'passed');
}

function playwright(
  cwd: string,
  home: string,
  env: Record<string, string>,
  reporter: readonly unknown[],
): Promise<string> {
  return node(join(home, 'node_modules/@playwright/test/cli.js'), ['test'], cwd, {
    ...env,
    OUTPUT: join(cwd, 'test-results'),
    REPORTERS: JSON.stringify([['testledger/playwright'], reporter]),
  });
}

function node(
  script: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  return output(process.execPath, [script, ...args], cwd, env);
}
