/** Passes the messages of MCP between stdin and stdout and a server, each by the transport of the official SDK. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { reasonOf } from '../errors.js';
import { version } from '../version.js';

/** The code of JSON-RPC for a fault of a server. */
const SERVER_ERROR = -32_000;

/** Resolves once stdin has ended and every request has its answer. */
export async function bridge({
  url,
  key,
  fetch,
}: {
  url: string;
  key: string;
  fetch: typeof globalThis.fetch;
}): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'User-Agent': `testledger-cli/${version}` };
  const server = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch });
  const agent = new StdioServerTransport();
  const sending = new Set<Promise<void>>();

  async function pass(message: JSONRPCMessage): Promise<void> {
    try {
      await server.send(message);
    } catch (error) {
      // Without an answer, the agent would wait.
      if (!('id' in message) || !('method' in message)) return;
      await agent.send({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: SERVER_ERROR, message: reasonOf(error) },
      });
    }
  }

  server.onmessage = (message) => {
    const agreed = 'result' in message ? message.result['protocolVersion'] : undefined;
    if (typeof agreed === 'string') server.setProtocolVersion(agreed);
    void agent.send(message);
  };
  agent.onmessage = (message) => {
    const sent = pass(message).finally(() => sending.delete(sent));
    sending.add(sent);
  };
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  await server.start();
  await agent.start();
  await ended;
  await Promise.all(sending);
  await server.close();
}
