/** `testledger retention`: how long a project keeps what, and what another policy would free. */
import type { components } from '../../client/api.generated.js';
import { unwrap } from '../../client/index.js';
import { isRetention } from '../../domain/retention.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { projectFlag, serverFlags, wantedProject, type ProjectFlag, type ServerFlags } from '../server.js';

type Policy = { contents: string | undefined; 'passed-contents': string | undefined };
type Flags = ServerFlags & ProjectFlag & Policy & { 'dry-run': boolean };
type Effect = components['schemas']['RetentionEffect'];

export const retentionCommand = command<Flags>({
  command: 'retention',
  describe: 'Show or change how long messages, errors and metadata of results are kept',
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
        terminal.result(data, [effectText(data)]);
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

function policyOf({ contents, 'passed-contents': passed }: Policy) {
  for (const text of [contents, passed])
    if (text !== undefined && text !== 'forever' && !isRetention(text))
      failWith('usage', `${text} is neither a duration from P1D to P10Y nor "forever"`);
  return {
    ...(contents !== undefined && { contents }),
    ...(passed !== undefined && { passed_contents: passed }),
  };
}

function effectText({ runs, results, bytes, is_whole }: Effect): string {
  const more = is_whole ? '' : 'more than ';
  return `it would free ${more}${bytes} bytes, of ${results} results in ${runs} runs`;
}
