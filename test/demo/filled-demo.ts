/** A team of the shared server that has the demo of two weeks. To fill it takes longer than most tests, and nothing writes to it. */
import { createClient } from '../../src/client/index.js';
import { fillService, type Filled } from '../../src/demo/fill.js';
import { givenKey } from '../http/given.js';
import { testServer, type TestServer } from '../kit/server.js';

export const now = Date.UTC(2026, 10, 20, 15, 30);

/** `key`: of an admin. */
export type FilledDemo = { team: string; key: string; filled: Filled };

let made: Promise<FilledDemo> | null = null;

/** Declares the server and the demo for the tests of the block around it. All blocks of a process read the same one. */
export function filledDemo(): { server: TestServer; readonly demo: FilledDemo } {
  const server = testServer();
  let demo: FilledDemo | null = null;
  before(async () => void (demo = await (made ??= fill(server))));
  return {
    server,
    get demo() {
      return demo!;
    },
  };
}

async function fill(server: TestServer): Promise<FilledDemo> {
  const { id: team, owner } = await server.newTeam();
  const key = await givenKey(owner, 'admin');
  const client = createClient({ url: server.url, apiKey: key });
  return { team, key, filled: await fillService({ client, now, days: 14, print: () => undefined }) };
}
