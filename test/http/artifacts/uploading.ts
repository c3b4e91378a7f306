/** Uploads whose bodies are sent in small parts, or never. */
import { expect } from 'chai';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** Sends the headers; the test sends the body. */
export function sendingTo(url: string, headers: Record<string, string | number>): ClientRequest {
  const sending = request(url, { method: 'PUT', headers, agent: false });
  sending.flushHeaders();
  return sending;
}

/** The answer before the body is sent. It must not be `100 Continue`. */
export async function refusalOf(
  sending: ClientRequest,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: any }> {
  let continued = false;
  sending.once('continue', () => (continued = true));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  expect(continued, '100 Continue').to.equal(false);
  expect(response.headers['content-type']).to.match(/^application\/problem\+json/);
  const body = (await json(response)) as { request_id: string };
  expect(body.request_id).to.equal(response.headers['x-request-id']);
  sending.on('error', () => undefined).destroy();
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}
