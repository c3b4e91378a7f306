/** `POST /mcp`: the tools of MCP (Streamable HTTP, without a session) for an API key, over the API in this process. */
import { openPageApi } from '../dashboard/page-api.js';
import { sourceOf } from '../dashboard/key-pages.js';
import type { SurfaceRoutes } from '../http/app.js';
import { withBody } from '../http/route.js';
import type { ReadArtifactText } from './artifact-text.js';

export function mcpSurface(
  surfaces: readonly SurfaceRoutes[],
  { positionOf, artifactText }: { positionOf(team: string): Promise<string>; artifactText: ReadArtifactText },
): SurfaceRoutes {
  const api = openPageApi(surfaces);
  return {
    base: '',
    services: surfaces[0]!.services,
    routes: [
      {
        method: 'POST',
        path: '/mcp',
        operation: {
          id: 'callMcp',
          summary: 'Answers a message of the Model Context Protocol; docs/agents.md has its tools',
          answers: { 200: { media: ['application/json'], json: true }, 202: null },
        },
        role: 'viewer',
        reporter: true,
        ...withBody('McpMessage', async (call) => {
          const source = await sourceOf(call, { api, positionOf }, 'json');
          // Few servers are asked for it: the SDK takes its time and memory.
          const { serveMcp } = await import('./serve-mcp.js');
          return serveMcp(call, { ...source, key: call.key, artifactText });
        }),
      },
    ],
  };
}
