/** A GitHub and a GitLab that keep comments, issues and statuses in memory, as far as the command line asks them. */
import type { IncomingMessage } from 'node:http';
import { testLoopback } from '../../kit/loopback.js';
import { answerOfIssues, type FakeIssues } from './fake-issues.js';
import { idOf, OURS } from './fake-request.js';
import { answerOfStatuses, type FakeStatuses } from './fake-statuses.js';

export type FakeComment = { id: number; body: string; author: string };

export type FakeForge = {
  readonly url: string;
  comments: FakeComment[];
  /** `METHOD path` of each request. */
  requests: string[];
  /** The status of every write; 200 without it. */
  refuseWrites: number | null;
  /** What another job makes right before the next new comment. */
  meanwhile: FakeComment[];
  /** Taken one by one in place of an answer, from the first request on. A text is a body that is not JSON. */
  faults: Fault[];
} & FakeIssues &
  FakeStatuses;

export type Fault = { status: number; text: string; retryAfter?: string; location?: string };

/** The author of what comes with this token. Another token is not known. */
export const TOKEN = 'forge-token';

/** Declares a forge for the tests of the block around it; it is empty before each test. */
export function fakeForge(): FakeForge {
  const forge: FakeForge = {
    get url() {
      return server.url;
    },
    comments: [],
    requests: [],
    refuseWrites: null,
    meanwhile: [],
    faults: [],
    issues: [],
    meanwhileIssues: [],
    statuses: [],
    takesChecks: true,
  };
  const server = testLoopback((request, response) => {
    void textOf(request).then((text) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://forge');
      forge.requests.push(`${request.method} ${request.url}`);
      const fault = forge.faults.shift();
      if (fault !== undefined) {
        const { status, text: body, retryAfter, location } = fault;
        if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
        if (location !== undefined) response.setHeader('Location', location);
        response.writeHead(status).end(body);
        return;
      }
      const { status, body } = answer(request, { pathname, searchParams, text });
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(body === null ? '' : JSON.stringify(body));
    });
  });

  function answer(
    { method, headers }: IncomingMessage,
    { pathname, searchParams, text }: { pathname: string; searchParams: URLSearchParams; text: string },
  ): { status: number; body: unknown } {
    const isGitLab = pathname.startsWith('/api/v4/');
    const key = isGitLab ? headers['private-token'] : headers.authorization?.replace('Bearer ', '');
    if (key !== TOKEN) return { status: 401, body: { message: 'Bad credentials' } };
    if (pathname.endsWith('/user'))
      return isGitLab
        ? { status: 200, body: { id: idOf(OURS) } }
        : { status: 403, body: { message: 'Resource not accessible by integration' } };
    const content: unknown = text === '' ? null : JSON.parse(text);
    const asked = { method: method!, pathname, searchParams, content, isGitLab, url: server.url };
    if (method !== 'GET' && forge.refuseWrites !== null)
      return { status: forge.refuseWrites, body: { message: 'Resource not accessible by integration' } };
    const other = answerOfStatuses(forge, asked) ?? answerOfIssues(forge, asked);
    if (other !== null) return other;
    const shown = ({ id, body, author }: FakeComment) =>
      isGitLab
        ? { id, body, system: false, author: { id: idOf(author) } }
        : {
            id,
            body,
            html_url: `${server.url}/c/${id}`,
            user: { login: author, type: author.endsWith('[bot]') ? 'Bot' : 'User' },
          };
    if (method === 'GET') {
      const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
      return { status: 200, body: forge.comments.slice((page - 1) * size, page * size).map(shown) };
    }
    const id = Number(/\/(?:comments|notes)\/(\d+)$/u.exec(pathname)?.[1] ?? 0);
    if (method === 'DELETE') {
      forge.comments = forge.comments.filter((each) => each.id !== id);
      return { status: 204, body: null };
    }
    const { body } = content as { body: string };
    const comment = forge.comments.find((each) => each.id === id) ?? {
      id: 1_000 + forge.comments.length,
      body,
      author: OURS,
    };
    comment.body = body;
    if (id === 0) forge.comments.push(...forge.meanwhile.splice(0), comment);
    return { status: id === 0 ? 201 : 200, body: shown(comment) };
  }

  beforeEach(() => {
    forge.comments = [];
    forge.requests = [];
    forge.refuseWrites = null;
    forge.meanwhile = [];
    forge.faults = [];
    forge.issues = [];
    forge.meanwhileIssues = [];
    forge.statuses = [];
    forge.takesChecks = true;
  });
  return forge;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
