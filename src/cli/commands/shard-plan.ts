/** `testledger shard-plan`: saves what the shards of a build have to agree on before they choose their tests. */
import { rename, writeFile } from 'node:fs/promises';
import { readCiEnvironment } from '../../client/ci/ci-environment.js';
import type { ShardPlanFile } from '../../client/shard-plan.js';
import { reasonOf } from '../../errors.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { openProgress } from '../progress.js';
import { projectFlag, serverFlags, wantedProject, type ProjectFlag, type ServerFlags } from '../server.js';
import { readPlan } from '../shard-plan/read-plan.js';

type Flags = ServerFlags &
  ProjectFlag & {
    output: string;
    branch: string | undefined;
    runs: number;
    tool: string | undefined;
  };

export const shardPlanCommand = command<Flags>({
  command: 'shard-plan',
  describe: 'Save the durations and known failures of tests, for the shards of a build',
  flags: (parser) =>
    projectFlag(serverFlags(parser))
      .option('output', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'The file, which is replaced',
      })
      .option('branch', {
        type: 'string',
        requiresArg: true,
        describe: 'The branch that is tested, for its known failures: by default that of the build',
      })
      .option('runs', {
        type: 'number',
        default: 3,
        requiresArg: true,
        describe: 'How many runs of the default branch the durations come from, 1 to 10',
      })
      .option('tool', {
        type: 'string',
        requiresArg: true,
        describe: 'Only runs of this tool, such as playwright',
      }),
  run: (flags, terminal) => {
    const { output, runs, tool } = flags;
    if (!(Number.isInteger(runs) && runs >= 1 && runs <= 10)) failWith('usage', '--runs must be 1 to 10');
    return withClient(flags, async (client) => {
      const project = await projectId(client, wantedProject(flags));
      const branch = flags.branch ?? readCiEnvironment().metadata.branch ?? null;
      const progress = openProgress(terminal, 'reading');
      const plan = await readPlan(client, { project, branch, runs, tool }, progress);
      progress.end();
      await save(plan, output);
      const [tests, known] = [plan.durations.length, plan.known_failures.length];
      const from = plan.run_ids.length === 1 ? '1 run' : `${plan.run_ids.length} runs`;
      terminal.result({ output, runs: plan.run_ids, tests, known_failures: known }, [
        `${output} has the durations of ${tests} tests, from ${from}, and ${known} known failures`,
      ]);
      return exitCodes.ok;
    });
  },
});

/** A shard must never read half of a plan. */
async function save(plan: ShardPlanFile, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(unfinished, `${JSON.stringify(plan)}\n`);
    await rename(unfinished, path);
  } catch (error) {
    failWith('file_unreadable', `${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
