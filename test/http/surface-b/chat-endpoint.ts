/** An endpoint that keeps what it was sent. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultsForSlack } from '../../domain/messages/chat/slack-schema.js';
import { faultsForTeams } from '../../domain/messages/chat/teams-card.js';

/** What is wrong with a body, by the schema of the chat. */
export const faultsFor = { slack: faultsForSlack, teams: faultsForTeams };
export const chats = ['slack', 'teams'] as const;

/** A failed item whose message is that of one of 12 causes. */
export const failing = (n: number, cause: number) => ({
  name: `test ${n}`,
  status: 'failed',
  error_message: `${'abcdefghijkl'.charAt(cause).repeat(4)} is broken`,
  metadata: { owner: 'checkout' },
});

export type Received = { body: string; headers: IncomingHttpHeaders };

/** For the tests of one suite. Each path has messages of its own. */
export function givenEndpoint() {
  const received = new Map<string, Received[]>();
  let server: Server;
  before(async () => {
    server = createServer((request, answer) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { url = '', headers } = request;
        received.set(url, [...(received.get(url) ?? []), { body, headers }]);
        answer.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());
  return {
    url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`,
    at: (path: string): readonly Received[] => received.get(`/${path}`) ?? [],
  };
}
