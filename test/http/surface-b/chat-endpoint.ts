/** An endpoint that keeps what it was sent. */
import type { IncomingHttpHeaders } from 'node:http';
import { faultsForSlack } from '../../domain/messages/chat/slack-schema.js';
import { faultsForTeams } from '../../domain/messages/chat/teams-card.js';
import { testLoopback } from '../../kit/loopback.js';

/** What is wrong with a body, by the schema of the chat. */
export const faultsFor = { slack: faultsForSlack, teams: faultsForTeams };
export const chats = ['slack', 'teams'] as const;

/** A failed item whose message is that of one of 12 causes. */
export const failing = (n: number, cause: number, owner = 'checkout') => ({
  name: `test ${n}`,
  status: 'failed',
  error_message: `${'abcdefghijkl'.charAt(cause).repeat(4)} is broken`,
  metadata: { owner },
});

export type Received = { body: string; headers: IncomingHttpHeaders };

/** For the tests of one suite. Each path has messages of its own. */
export function givenEndpoint() {
  const received = new Map<string, Received[]>();
  const server = testLoopback((request, answer) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      received.set(url, [...(received.get(url) ?? []), { body, headers }]);
      answer.writeHead(204).end();
    });
  });
  return {
    url: (path: string) => `${server.url}/${path}`,
    at: (path: string): readonly Received[] => received.get(`/${path}`) ?? [],
  };
}
