/** The events of the team, page by page. Each page is repeated by the client until it is there. */
import { unwrap, type Client } from '../../../client/index.js';
import { projectId } from '../../api.js';
import { projectFlag, serverFlags, type ProjectFlag, type ServerFlags } from '../../server.js';
import type { Argv } from 'yargs';

/** A CloudEvent (docs/api.md, section 4.3). */
export type FeedEvent = { id: string; type: string; time: string; position: string };

export type FeedPage = { data: FeedEvent[]; next: string; caught_up: boolean };

export type FeedQuery = { types?: string; project_id?: string };

const PER_PAGE = 1_000;

/** `after`: the position to begin behind; null for the first event. */
export async function readPage(client: Client, after: string | null, query: FeedQuery): Promise<FeedPage> {
  const params = { query: { ...query, limit: PER_PAGE, ...(after !== null && { after }) } };
  // The client asks for JSON, which is a page; the other forms of this answer are streams of text.
  return (await unwrap(client.GET('/v1/events', { params }))) as FeedPage;
}

export type FeedFlags = ServerFlags & ProjectFlag & { types: string[]; after: string | undefined };

export function feedFlags<T>(parser: Argv<T>): Argv<T & FeedFlags> {
  return projectFlag(serverFlags(parser))
    .option('types', {
      type: 'string',
      array: true,
      default: [],
      describe: 'Only these types, such as ResultFinished',
    })
    .option('after', { type: 'string', describe: 'Begin behind this position' });
}

/** The project restricts only where the flag names it: TESTLEDGER_PROJECT is for commands that need one. */
export async function queryOf(
  client: Client,
  { types, project }: { types: readonly string[]; project?: string | undefined },
): Promise<FeedQuery> {
  return {
    ...(types.length > 0 && { types: types.join(',') }),
    ...(project !== undefined && { project_id: await projectId(client, project) }),
  };
}
