/** Runs the steps of CI jobs with bash, with the real command line, and with stand-ins for the tools around it. */
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliMain, ended, type Ended } from '../../kit/command.js';
import { junit, type CommandLine } from '../command-line.js';

/** The root of the repository: this file is below `dist/test/cli/ci`. */
export const repository = fileURLToPath(new URL('../../../../', import.meta.url));

export type Job = {
  /** The commands of testledger that ran, with their exit codes. */
  commands(): Promise<string[]>;
  step(script: string, env?: Record<string, string>): Promise<Ended>;
};

type Given = {
  /** The exit code of the tests. */
  testsEnd?: number;
  /** Which command line `testledger` is: that of the build, or the file that the server hands out. */
  client?: 'built' | 'served';
};

/** `npm` and `npx` write a report with these cases, as the tests of a project do. */
export async function jobOf(
  given: CommandLine,
  cases: Parameters<typeof junit>[0],
  { testsEnd = 0, client = 'built' }: Given = {},
): Promise<Job> {
  const tools = join(given.folder, 'tools');
  const report = `mkdir -p reports; cp tools/report.xml reports/all.xml; cp tools/report.xml results.xml; exit ${testsEnd}`;
  const isInstall = 'if [ "$1" = ci ]; then exit 0; fi';
  const program = client === 'built' ? cliMain : await served(given);
  const scripts: Record<string, string> = {
    testledger: `"${process.execPath}" "${program}" "$@"; code=$?; echo "$code $*" >> tools/commands; exit $code`,
    npm: `${isInstall}; ${report}`,
    npx: report,
    gh: 'echo 12',
  };
  for (const [name, script] of Object.entries(scripts)) {
    const path = await given.file(`tools/${name}`, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }
  await given.file('tools/report.xml', junit(cases));
  const common = {
    ...given.env,
    PATH: `${tools}:${process.env['PATH']}`,
    GITHUB_STEP_SUMMARY: join(given.folder, 'summary.md'),
    GITHUB_ENV: join(given.folder, 'env'),
  };
  return {
    commands: async () => (await readFile(join(tools, 'commands'), 'utf8')).trim().split('\n'),
    // As GitHub runs the steps of a composite action.
    step: (script, env = {}) =>
      ended('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
        cwd: given.folder,
        env: { ...common, ...env },
      }),
  };
}

async function served(given: CommandLine): Promise<string> {
  const answer = await fetch(`${given.env['TESTLEDGER_URL']}/clients/testledger.mjs`);
  return given.file('tools/testledger.mjs', await answer.text());
}
