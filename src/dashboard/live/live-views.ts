/**
 * The live parts of open pages. Viewers of the same page in the same role share one view of it: it is rendered once for
 * all, at most twice a second, and only while somebody has it open. Two hundred viewers cost what one costs, and the
 * bytes that they read.
 */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { renderToString } from 'preact-render-to-string';
import { fail } from '../../errors.js';
import type { Page, PageRequest } from '../page.js';

export type LiveViews = {
  /** Answers with a stream of server-sent events, until the reader leaves. @throws LedgerError `overloaded` */
  follow(ctx: Context, wanted: Wanted): Promise<undefined>;
  /** Ends all streams. */
  close(): void;
};

type Wanted = {
  page: Page;
  request: PageRequest;
  /** Whether the reader is still in the team with the same role. */
  isAllowed(): Promise<boolean>;
};

export type LiveViewsOptions = {
  /** The position of the team's read models: nothing is rendered while it stays the same. */
  positionOf(team: string): Promise<string>;
  report: (error: unknown) => void;
  everyMs?: number;
};

const EVERY_MS = 500;
/** A comment at this pace keeps proxies from closing the stream, and finds readers who have left. */
const ALIVE_EVERY_MS = 15_000;
const ALLOWED_EVERY_MS = 5_000;
const MOST_VIEWS = 500;
const MOST_READERS = 2_000;
/** A reader who does not read is cut off: the browser comes back. */
const MOST_UNREAD_BYTES = 512 * 1_024;

type View = {
  readers: Set<Reader>;
  /** The last rendering of each part. */
  parts: Map<string, string>;
  position: string;
  timer: NodeJS.Timeout;
  isBusy: boolean;
};

type Reader = {
  response: ServerResponse;
  allowed: () => Promise<boolean>;
  checkedAt: number;
  aliveAt: number;
};

export function openLiveViews({ positionOf, report, everyMs = EVERY_MS }: LiveViewsOptions): LiveViews {
  const views = new Map<string, View>();
  let readers = 0;
  let isClosed = false;

  async function refresh(view: View, { page, request }: Wanted): Promise<void> {
    const position = await positionOf(request.team.team_id);
    if (position === view.position) return;
    const reply = await page.handle(request);
    view.position = position;
    if (!('live' in reply) || reply.live === undefined) return;
    const changed: Record<string, string> = {};
    for (const [id, node] of Object.entries(reply.live)) {
      const html = renderToString(node);
      if (view.parts.get(id) === html) continue;
      view.parts.set(id, html);
      changed[id] = html;
    }
    if (Object.keys(changed).length > 0) for (const reader of view.readers) write(reader, event(changed));
  }

  function write({ response }: Reader, text: string): void {
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    else response.write(text);
  }

  async function look(view: View, wanted: Wanted): Promise<void> {
    const now = performance.now();
    for (const reader of view.readers) {
      if (now - reader.checkedAt > ALLOWED_EVERY_MS) {
        reader.checkedAt = now;
        if (!(await reader.allowed())) reader.response.end();
      }
      if (now - reader.aliveAt > ALIVE_EVERY_MS) {
        reader.aliveAt = now;
        write(reader, ': alive\n\n');
      }
    }
    await refresh(view, wanted);
  }

  function viewOf(key: string, wanted: Wanted): View {
    const present = views.get(key);
    if (present !== undefined) return present;
    if (views.size >= MOST_VIEWS) fail('overloaded', 'Too many pages are open.', { retryAfter: 30 });
    const view: View = {
      readers: new Set(),
      parts: new Map(),
      position: '',
      isBusy: false,
      timer: setInterval(() => {
        if (view.isBusy) return;
        view.isBusy = true;
        look(view, wanted)
          .catch(report)
          .finally(() => (view.isBusy = false));
      }, everyMs).unref(),
    };
    views.set(key, view);
    return view;
  }

  function leave(key: string, view: View, reader: Reader): void {
    if (!view.readers.delete(reader)) return;
    readers -= 1;
    if (view.readers.size > 0) return;
    clearInterval(view.timer);
    views.delete(key);
  }

  return {
    async follow(ctx, wanted) {
      if (isClosed || readers >= MOST_READERS)
        fail('overloaded', 'Too many pages are open.', { retryAfter: 30 });
      const { team, url } = wanted.request;
      const key = `${team.team_id} ${team.role} ${url.pathname}${url.search}`;
      const view = viewOf(key, wanted);
      const now = performance.now();
      const reader: Reader = { response: ctx.res, allowed: wanted.isAllowed, checkedAt: now, aliveAt: now };
      view.readers.add(reader);
      readers += 1;
      ctx.respond = false;
      ctx.state['streamBeganAt'] = now;
      ctx.res.on('close', () => leave(key, view, reader));
      ctx.res.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      // The page that the reader has may be older than what the others were sent.
      write(reader, view.parts.size === 0 ? ': open\n\n' : event(Object.fromEntries(view.parts)));
      return undefined;
    },
    close() {
      isClosed = true;
      for (const view of views.values()) for (const { response } of view.readers) response.end();
    },
  };
}

/** `parts`: the HTML by the id of its element. */
function event(parts: Readonly<Record<string, string>>): string {
  return `event: parts\ndata: ${JSON.stringify(parts)}\n\n`;
}
