/**
 * The token that a CI service offers a build, and the key that the server gives for it: so that no secret is stored. On
 * GitHub it is asked for (`id-token: write`); GitLab and others set it as a variable (`TESTLEDGER_ID_TOKEN`).
 */
import { errorOf, TestledgerError } from '../errors.js';
import { parsed } from '../read-body.js';
import { send, type Outgoing, type Sending } from '../send.js';

/** `audience`: for whom the token is to be made; null for the server. */
export type TokenOffer =
  { token: string } | { requestUrl: string; requestToken: string; audience: string | null };

type Env = Readonly<Record<string, string | undefined>>;

/** Null where the CI service offers none, as to a pull request of a fork. */
export function offeredToken(env: Env): TokenOffer | null {
  const text = (name: string) => env[name]?.trim() || null;
  const token = text('TESTLEDGER_ID_TOKEN');
  if (token !== null) return { token };
  const requestUrl = text('ACTIONS_ID_TOKEN_REQUEST_URL');
  const requestToken = text('ACTIONS_ID_TOKEN_REQUEST_TOKEN');
  if (requestUrl === null || requestToken === null || !URL.canParse(requestUrl)) return null;
  return { requestUrl, requestToken, audience: text('TESTLEDGER_AUDIENCE') };
}

/** The words for a project that is named where only its id will do: nobody can look a name up before they have a key. */
export const NEEDS_PROJECT_ID =
  'without an API key, a build names its project by its id, which stands on the page of its settings';

export function isProjectId(text: string): boolean {
  return /^project_[0-9a-z]{26}$/.test(text);
}

export type WantedKey = Sending & {
  /** Of the server. */
  url: string;
  /** The id of the project. */
  project: string;
  /** How long the key lives, as an ISO 8601 duration. */
  ttl: string;
};

const TIMEOUT_MS = 30_000;

/** @throws TestledgerError */
export async function keyOfBuild(
  offer: TokenOffer,
  { url, project, ttl, ...sending }: WantedKey,
): Promise<string> {
  const base = url.replace(/\/+$/, '');
  const token = 'token' in offer ? offer.token : await tokenOf(offer, base, sending);
  const body = JSON.stringify({ token, project_id: project, ttl });
  const answer = await call<{ data?: { key?: unknown } }>(sending, {
    method: 'POST',
    url: `${base}/v1/ci-token`,
    headers: { 'content-type': 'application/json' },
    body: () => body,
  });
  return textIn(answer.data?.key, `${base}/v1/ci-token`);
}

type GitHubOffer = Extract<TokenOffer, { requestUrl: string }>;

async function tokenOf({ requestUrl, requestToken, audience }: GitHubOffer, base: string, sending: Sending) {
  const url = new URL(requestUrl);
  url.searchParams.set('audience', audience ?? base);
  const headers = { authorization: `Bearer ${requestToken}` };
  const { value } = await call<{ value?: unknown }>(sending, { method: 'GET', url: url.href, headers });
  return textIn(value, url.origin);
}

async function call<T>(
  sending: Sending,
  { headers, ...outgoing }: Pick<Outgoing, 'method' | 'url' | 'headers' | 'body'>,
): Promise<T> {
  const answer = await send(sending, {
    ...outgoing,
    headers: { accept: 'application/json', ...headers },
    timeoutMs: TIMEOUT_MS,
    answer: 'json',
  });
  const content = parsed(answer.text);
  if (!answer.ok) throw errorOf(answer, content);
  return (content ?? {}) as T;
}

function textIn(value: unknown, from: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TestledgerError('bad_answer', `${from} gave no token`);
}
