/** The flags that name a run: of `gate` and `summary`. */
import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { Client } from '../../client/index.js';
import { readCiEnvironment } from '../../client/ci/ci-environment.js';
import { projectId } from '../api.js';
import { environmentFlag, wantedEnvironment, type EnvironmentFlag } from '../environment-flag.js';
import { failWith } from '../errors.js';
import { keyOfBuild } from '../import/describe-run.js';
import { wantedProject, type ProjectFlag } from '../server.js';
import type { Terminal } from '../terminal.js';
import type { RunWanted } from './await-run.js';

export type RunFlags = EnvironmentFlag & {
  run: string | undefined;
  'run-key': string | undefined;
  sharded: boolean;
  tool: string | undefined;
  wait: number;
};

export function runFlags<T>(parser: Argv<T>): Argv<T & RunFlags> {
  return environmentFlag(parser)
    .option('run', { type: 'string', requiresArg: true, describe: 'The id of the run' })
    .option('run-key', {
      type: 'string',
      requiresArg: true,
      describe: 'The key of the run: in CI that of the job',
    })
    .option('sharded', {
      type: 'boolean',
      default: false,
      describe: 'In CI: the run that the shards of the build made',
    })
    .option('tool', {
      type: 'string',
      requiresArg: true,
      describe: 'With --sharded: the --tool of the import',
    })
    .option('wait', {
      type: 'number',
      default: 120,
      requiresArg: true,
      describe: 'Seconds to wait until the run is completed and compared',
    });
}

/** @throws CliError `usage`, `project_missing`, `project_unknown` */
export async function wantedRun(
  flags: ArgumentsCamelCase<RunFlags & ProjectFlag>,
  client: Client,
  terminal: Terminal,
): Promise<RunWanted> {
  if (flags.run) return { id: flags.run };
  const environment = wantedEnvironment(flags, terminal);
  const { tool, sharded } = flags;
  const key = flags['run-key'] || keyOfBuild(readCiEnvironment(), sharded, { tool, environment });
  if (key === null) failWith('usage', 'name the run with --run or --run-key: no CI build was found');
  return { project: await projectId(client, wantedProject(flags)), key };
}

/** @throws CliError `usage` */
export function waitMs({ wait }: { wait: number }): number {
  if (!(wait >= 0 && wait <= 86_400)) failWith('usage', '--wait must be 0 to 86400 seconds');
  return wait * 1_000;
}
