/** `testledger events tail`: prints events as they are recorded. */
import type { Client } from '../../../client/index.js';
import { withClient } from '../../api.js';
import { command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { feedFlags, queryOf, readPage, type FeedFlags } from './feed.js';

/** The server restarts: a tail that ends with it would have to be started again by hand. */
const REPEAT_FOR_MS = 60_000;
/** A type of which a team has one event: pages of it reach the present in the fewest requests. */
const RARE = { types: 'TeamCreated' };

export const tailCommand = command<FeedFlags>({
  command: 'tail',
  describe: 'Print events as NDJSON as they are recorded, from now on or behind --after, until it is stopped',
  flags: feedFlags,
  run: ({ after, types, project, ...flags }, terminal) =>
    withClient(
      flags,
      async (client) => {
        const { project_id: projectId } = await queryOf(client, { types, project });
        const from = after ?? (await present(client));
        // It ends by an error, by Ctrl-C, or when the reader of its output is gone.
        await client.consumeEvents({
          ...(from !== null && { from }),
          ...(types.length > 0 && { types }),
          ...(projectId !== undefined && { projectId }),
          giveUpAfterMs: REPEAT_FOR_MS,
          onEvent: (event) => terminal.row(event),
        });
        return exitCodes.ok;
      },
      { repeatForMs: REPEAT_FOR_MS },
    ),
});

/** The position of the newest event; null where there is none. */
async function present(client: Client): Promise<string | null> {
  for (let position: string | null = null; ;) {
    const { next, caught_up } = await readPage(client, position, RARE);
    position = next || position;
    if (caught_up) return position;
  }
}
