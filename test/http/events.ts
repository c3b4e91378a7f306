/** Clients of the replay: one for pages, one for lines, one for the live stream. */
import { expect } from 'chai';
import type { Api } from '../kit/client.js';
import { checkEvent, Undocumented } from './conformity.js';

/** An event as the replay returns it. */
export type Shown = {
  id: string;
  type: string;
  subject: string;
  position: string;
  data: any;
  [name: string]: unknown;
};

export type Page = { data: Shown[]; next: string; caught_up: boolean };

export async function pageOf(api: Api, query: Record<string, string | number> = {}): Promise<Page> {
  const { status, body, text } = await api.get(`/v1/events${search(query)}`);
  expect(status, text).to.equal(200);
  return body;
}

/** The events of all pages up to the end. */
export async function pagesOf(api: Api, query: Record<string, string | number> = {}): Promise<Page[]> {
  const pages: Page[] = [];
  for (let after = String(query['after'] ?? ''); pages.at(-1)?.caught_up !== true;) {
    const page = await pageOf(api, { ...query, after });
    expect(page.next > after || page.caught_up, `${page.next} after ${after}`).to.equal(true);
    pages.push(page);
    after = page.next;
  }
  return pages;
}

export async function allEvents(api: Api, query: Record<string, string | number> = {}): Promise<Shown[]> {
  return (await pagesOf(api, { limit: 1_000, ...query })).flatMap(({ data }) => data);
}

export async function linesOf(api: Api, query: Record<string, string | number> = {}): Promise<Shown[]> {
  const { status, headers, text } = await api.get(`/v1/events${search(query)}`, {
    Accept: 'application/x-ndjson',
  });
  expect(status, text).to.equal(200);
  expect(headers.get('content-type')).to.match(/^application\/x-ndjson/);
  expect(text === '' || text.endsWith('\n')).to.equal(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Shown);
}

export type Sse = {
  /** The events so far. */
  readonly events: Shown[];
  /** The text so far. */
  readonly text: string;
  /** Resolves with the way in which the stream ended. */
  readonly ended: Promise<'ended' | 'cut'>;
  close(): void;
};

/** Follows the live stream after a position. `base` is the URL of the server. */
export async function follow(
  base: string,
  key: string,
  query: Record<string, string | number> = {},
  headers: Record<string, string> = {},
): Promise<Sse> {
  const abort = new AbortController();
  const response = await fetch(`${base}/v1/events${search(query)}`, {
    headers: { Authorization: key, Accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  if (response.status !== 200) expect.fail(`${response.status}: ${await response.text()}`);
  expect(response.headers.get('content-type')).to.match(/^text\/event-stream/);
  let text = '';
  let rest = '';
  const events: Shown[] = [];
  const read = async (): Promise<'ended' | 'cut'> => {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body!) {
        const came = decoder.decode(bytes, { stream: true });
        text += came;
        const frames = (rest + came).split('\n\n');
        rest = frames.pop()!;
        for (const frame of frames) events.push(...eventIn(frame));
      }
      return 'ended';
    } catch (error) {
      // Not an end of the stream, but an event that the test must not miss.
      if (error instanceof Undocumented) throw error;
      return 'cut';
    }
  };
  const ended = read();
  return {
    events,
    get text() {
      return text;
    },
    ended,
    close: () => abort.abort(),
  };
}

function eventIn(frame: string): Shown[] {
  const fields = new Map(frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line]));
  const value = (name: string) => fields.get(name)?.slice(name.length + 2);
  const data = value('data');
  if (data === undefined) return [];
  const event = JSON.parse(data) as Shown;
  checkEvent(event);
  expect([value('id'), value('event')]).to.deep.equal([event.position, event.type]);
  return [event];
}

function search(query: Record<string, string | number>): string {
  const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}
