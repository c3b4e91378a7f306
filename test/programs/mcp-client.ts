/** The official client of MCP, at a server under test. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export type Told = { isError: boolean; bytes: number; position: string; data: any; error: any };

export type Agent = {
  names(): Promise<string[]>;
  call(name: string, given?: Record<string, unknown>): Promise<Told>;
  close(): Promise<void>;
};

export async function agentOver(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const [{ text }] = content as [{ text: string }];
      return { isError: isError === true, bytes: Buffer.byteLength(text), ...JSON.parse(text) };
    },
    close: () => client.close(),
  };
}

export function agentAt(url: string, key: string): Promise<Agent> {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  return agentOver(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
}
