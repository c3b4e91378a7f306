/** `testledger retention`: how long a project keeps what, and what another policy would free. */
import type { components } from '../../client/api.generated.js';
import { unwrap } from '../../client/index.js';
import { isRetention } from '../../domain/retention.js';
import { projectId, withClient } from '../api.js';
import { bytesText, counted } from '../../domain/text/amounts.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { projectFlag, serverFlags, wantedProject, type ProjectFlag, type ServerFlags } from '../server.js';

type Policy = Record<'contents' | 'passed-contents' | 'artifacts' | 'runs', string | undefined>;
type Flags = ServerFlags & ProjectFlag & Policy & { 'dry-run': boolean };
type Effect = components['schemas']['RetentionEffect'];

export const retentionCommand = command<Flags>({
  command: 'retention',
  describe: 'Show or change how long texts of results, artifacts and runs in lists are kept',
  flags: (parser) =>
    projectFlag(serverFlags(parser))
      .option('contents', {
        type: 'string',
        requiresArg: true,
        describe: 'Of results that did not pass: a duration such as P30D, or forever',
      })
      .option('passed-contents', {
        type: 'string',
        requiresArg: true,
        describe: 'Of results that passed',
      })
      .option('artifacts', { type: 'string', requiresArg: true, describe: 'Of artifacts' })
      .option('runs', { type: 'string', requiresArg: true, describe: 'Of the place of runs in lists' })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Only say how much it would free',
      }),
  run: (flags, terminal) => {
    const policy = policyOf(flags);
    return withClient(flags, async (client) => {
      const id = await projectId(client, wantedProject(flags));
      const path = { id };
      if (flags['dry-run']) {
        const { data } = await unwrap(
          client.GET('/v1/projects/{id}/retention', { params: { path, query: policy } }),
        );
        terminal.result(data, effectText(data));
        return exitCodes.ok;
      }
      const body = {
        retention: Object.fromEntries(
          Object.entries(policy).map(([name, kept]) => [name, kept === 'forever' ? null : kept]),
        ),
      };
      const { data } =
        Object.keys(policy).length === 0
          ? await unwrap(client.GET('/v1/projects/{id}', { params: { path } }))
          : await unwrap(client.PATCH('/v1/projects/{id}', { params: { path }, body }));
      const { retention } = data;
      const lines = Object.entries(retention).map(([name, kept]) => `${name}: ${kept ?? 'forever'}`);
      terminal.result(retention, lines);
      return exitCodes.ok;
    });
  },
});

function policyOf({ contents, 'passed-contents': passed, artifacts, runs }: Policy) {
  for (const text of [contents, passed, artifacts, runs])
    if (text !== undefined && text !== 'forever' && !isRetention(text))
      failWith('usage', `${text} is neither a duration from P1D to P10Y nor "forever"`);
  return {
    ...(contents !== undefined && { contents }),
    ...(passed !== undefined && { passed_contents: passed }),
    ...(artifacts !== undefined && { artifacts }),
    ...(runs !== undefined && { runs }),
  };
}

function effectText(effect: Effect): string[] {
  const { runs, results, bytes, artifacts, artifact_bytes, unlisted_runs, is_whole } = effect;
  const more = is_whole ? '' : 'more than ';
  return [
    `it would free ${more}${bytesText(bytes + artifact_bytes)}:`,
    `  ${bytesText(bytes)} of the texts of ${counted(results, 'result')} in ${counted(runs, 'run')}`,
    `  ${bytesText(artifact_bytes)} of ${counted(artifacts, 'artifact')}`,
    `${counted(unlisted_runs, 'run')} would leave the lists`,
  ];
}
