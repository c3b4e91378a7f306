/** `testledger redact`: takes a leaked text out of everything that the team has, or shows where it is. */
import { setTimeout as pause } from 'node:timers/promises';
import { text as readAll } from 'node:stream/consumers';
import { unwrap, type Client } from '../../client/index.js';
import type { components } from '../../client/api.generated.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { projectFlag, projectIn, serverFlags, type ProjectFlag, type ServerFlags } from '../server.js';
import { table } from '../table.js';
import { counted } from '../../domain/text/amounts.js';
import type { Terminal } from '../terminal.js';

type Flags = ServerFlags &
  ProjectFlag & { text: string | undefined; reason: string; 'dry-run': boolean; wait: boolean };

const LOOK_EVERY_MS = 500;

export const redactCommand = command<Flags>({
  command: 'redact',
  describe: 'Take a leaked text out of everything that the team has: results, names, labels, artifacts',
  flags: (parser) =>
    projectFlag(serverFlags(parser))
      .option('text', {
        type: 'string',
        requiresArg: true,
        describe:
          'The text, exactly. Without it, the text is read from standard input: so it is in no history of a shell',
      })
      .option('reason', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'Why, for the history. It must not repeat the text',
      })
      .option('dry-run', { type: 'boolean', default: false, describe: 'Only show the places' })
      .option('wait', { type: 'boolean', default: true, describe: 'Wait until it is done' }),
  run: ({ text, reason, dryRun, wait, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const wanted = text ?? withoutLineEnd(await readAll(process.stdin));
      if (wanted === '') failWith('usage', 'there is no text: give --text, or the text by standard input');
      const name = projectIn(flags);
      const project_id = name === null ? null : await projectId(client, name);
      const body = { text: wanted, reason, project_id };
      if (dryRun) return showPlaces(client, body, terminal);
      const { data } = await unwrap(client.POST('/v1/redactions', { body }));
      const begun = data as Redaction;
      return show(wait ? await untilDone(client, begun, terminal) : begun, terminal);
    }),
});

type Redaction = components['schemas']['Redaction'];
type Places = components['schemas']['RedactionPlaces'];
type Body = { text: string; reason: string; project_id: string | null };

async function showPlaces(client: Client, body: Body, terminal: Terminal): Promise<ExitCode> {
  const { data } = await unwrap(client.POST('/v1/redactions', { body: { ...body, dry_run: true } }));
  const { places, total, complete } = data as Places;
  const more = complete
    ? counted(total, 'place')
    : `at least ${counted(total, 'place')}: the search took too long`;
  terminal.result(data, [...table(places.map(({ type, id, field }) => [type, id, field])), more]);
  return exitCodes.ok;
}

async function untilDone(client: Client, begun: Redaction, terminal: Terminal): Promise<Redaction> {
  const params = { path: { id: begun.id } };
  for (let now = begun; ;) {
    if (now.state === 'done') return now;
    terminal.note(`${now.id}: ${counted(now.places, 'place')} found so far`);
    await pause(LOOK_EVERY_MS);
    ({ data: now } = await unwrap(client.GET('/v1/redactions/{id}', { params })));
  }
}

function show(redaction: Redaction, terminal: Terminal): ExitCode {
  const { id, state, places } = redaction;
  const said = state === 'done' ? `${counted(places, 'place')} redacted` : 'begun';
  terminal.result({ redaction }, [`${id}: ${said}`]);
  return exitCodes.ok;
}

/** A shell adds one to what it passes on. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
