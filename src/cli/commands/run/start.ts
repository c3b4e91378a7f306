/** `testledger run start`: makes a run, and starts it. */
import { readCiEnvironment } from '../../../client/ci/ci-environment.js';
import { noMasker, openMasker } from '../../../client/masking/masker.js';
import { unwrap } from '../../../client/index.js';
import { projectId, withClient } from '../../api.js';
import { command } from '../../command.js';
import { environmentFlag, wantedEnvironment, type EnvironmentFlag } from '../../environment-flag.js';
import { maskOption } from '../../import/flags.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { projectFlag, serverFlags, wantedProject, type ProjectFlag, type ServerFlags } from '../../server.js';

type Flags = ServerFlags &
  ProjectFlag &
  EnvironmentFlag & {
    'run-key': string | undefined;
    label: string | undefined;
    metadata: string[];
    mask: boolean;
  };

export const startRunCommand = command<Flags>({
  command: 'start',
  describe: 'Make a run and start it, and print its id',
  flags: (parser) =>
    environmentFlag(projectFlag(serverFlags(parser)))
      .option('run-key', { type: 'string', describe: 'A name that joins several jobs to one run' })
      .option('label', { type: 'string', describe: 'A name for people' })
      .option('metadata', {
        type: 'string',
        array: true,
        default: [],
        describe: 'For example branch=main; may be given several times',
      })
      .option('mask', maskOption),
  run: async ({ runKey, label, metadata, project, environment, mask, ...flags }, terminal) => {
    const wanted = wantedProject({ project });
    const ci = readCiEnvironment();
    const { build } = ci.metadata;
    const masker = mask ? openMasker() : noMasker;
    const facts = {
      ...(build !== undefined && { build }),
      ...(runKey === undefined && ci.jobMetadata),
      environment: wantedEnvironment({ environment }, terminal) ?? ci.environment,
      ...masker.metadata(factsOf(metadata)),
    };
    return withClient(flags, async (client) => {
      const body = {
        project_id: await projectId(client, wanted),
        ...(runKey !== undefined && { run_key: runKey }),
        ...(label !== undefined && { label: masker.text(label) }),
        metadata: facts,
      };
      // Without an id in its query, the call makes a run and answers it.
      const run = (await unwrap(client.POST('/v1/test/run/', { body }))) as Run;
      // Another job of the same key may have started it.
      if (run.status === 'Pending') {
        const path = '/v1/test/run/{test_run_id}';
        const params = { path: { test_run_id: run.test_run_id } };
        await unwrap(client.POST(path, { params, body: { status: 'Running' } }));
      }
      const { test_run_id: id } = run;
      terminal.result({ run: { id, project_id: body.project_id, run_key: runKey ?? null } }, [id]);
      return exitCodes.ok;
    });
  },
});

type Run = { test_run_id: string; status: 'Pending' | 'Running' | 'Completed' };

/** @throws CliError `usage` for a text that is not `name=value` */
function factsOf(metadata: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    metadata.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) failWith('usage', `--metadata must be name=value, not "${each}"`);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}
