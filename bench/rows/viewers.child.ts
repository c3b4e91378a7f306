/** Browsers that have a live page open, as far as the server sees them: streams that are read and thrown away. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { answerRequests } from '../processes/child.js';

/** Opens a number of streams of a page, or closes those that are open. */
export type ViewersRequest = { url: string; cookie: string; viewers: number } | { close: true };

/** The bytes that all viewers have received so far. */
export type ViewersAnswer = { bytes: number };

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let open: IncomingMessage[] = [];
let bytes = 0;

answerRequests(async (request: ViewersRequest): Promise<ViewersAnswer> => {
  if ('close' in request) {
    for (const stream of open) stream.destroy();
    open = [];
    return { bytes };
  }
  bytes = 0;
  const { url, cookie, viewers } = request;
  open = await Promise.all(Array.from({ length: viewers }, () => follow(url, cookie)));
  return { bytes };
});

async function follow(url: string, cookie: string): Promise<IncomingMessage> {
  const headers = { accept: 'text/event-stream', cookie };
  const [stream] = (await once(get(url, { headers, agent }), 'response')) as [IncomingMessage];
  if (stream.statusCode !== 200) throw new Error(`the page was answered with ${stream.statusCode}`);
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  // Closed by us.
  stream.on('error', () => undefined);
  return stream;
}
