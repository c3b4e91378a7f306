/**
 * The live parts of open pages. Viewers of the same page in the same role share one view of it: it is rendered once for
 * all, at most twice a second, and only while somebody has it open. Two hundred viewers cost what one costs, and the
 * bytes that they read. All views of a team have one share of the time (`team-share.ts`).
 */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { renderToString } from 'preact-render-to-string';
import type { Admission, Release } from '../../admission/admission.js';
import { fail, isAppError } from '../../errors.js';
import type { Page, PageRequest } from '../page.js';
import { openTeamShare } from './team-share.js';

export type LiveViews = {
  /** Answers with a stream of server-sent events, until the reader leaves. @throws AppError `overloaded` */
  follow(ctx: LiveContext, wanted: Wanted): Promise<undefined>;
  /** Ends all streams. */
  close(): void;
};

/** What of a request a stream needs. */
export type LiveContext = Pick<Context, 'respond' | 'state'> & { res: ServerResponse };

export type Wanted = {
  page: Page;
  request: PageRequest;
  /** Whether the reader is still signed in, and in the team with the same role. */
  isAllowed(): Promise<boolean>;
  /** The same without their session, which is in a store: it is asked again whenever rights change. */
  isMember(): boolean;
};

export type LiveViewsOptions = {
  admission: Admission;
  /** The position of the team's read models: nothing is rendered while it stays the same. */
  positionOf(team: string): Promise<string>;
  /** Calls back when any member of any team may have another role. */
  onTeamEvents(changed: () => void): void;
  report: (error: unknown) => void;
  everyMs?: number;
  /** How often it is asked whether a reader is still allowed. */
  allowedEveryMs?: number;
};

const EVERY_MS = 500;
/** A comment at this pace keeps proxies from closing the stream, and finds readers who have left. */
const ALIVE_EVERY_MS = 15_000;
const ALLOWED_EVERY_MS = 5_000;
const AFTER_ERROR_MS = 5_000;
/** Many changes at once are looked at together. */
const MEMBERS_EVERY_MS = 100;
/** A reader who does not read is cut off: the browser comes back. */
const MOST_UNREAD_BYTES = 512 * 1_024;

type View = {
  wanted: Wanted;
  readers: Set<Reader>;
  /** The last rendering of each part. */
  parts: Map<string, string>;
  /** Null before the first rendering, and where the position does not matter. */
  position: string | null;
  timer: NodeJS.Timeout | undefined;
  checks: NodeJS.Timeout | undefined;
  release: Release;
};

type Reader = {
  response: ServerResponse;
  /** Until the first look after it came: its page is newer than what was rendered before, as after a form. */
  isNew: boolean;
  allowed: () => Promise<boolean>;
  isMember: () => boolean;
  aliveAt: number;
};

/** Long because all of it shares the views: each function is short. */
export function openLiveViews({
  admission,
  positionOf,
  onTeamEvents,
  report,
  everyMs = EVERY_MS,
  allowedEveryMs = ALLOWED_EVERY_MS,
}: LiveViewsOptions): LiveViews {
  const views = new Map<string, View>();
  const closing = new AbortController();
  const inTeamShare = openTeamShare(closing.signal);
  let members: NodeJS.Timeout | undefined;

  // A person who was removed reads on for no second, and no store is asked for that while nobody is removed.
  onTeamEvents(() => (members ??= setTimeout(endStrangers, MEMBERS_EVERY_MS).unref()));

  function endStrangers(): void {
    members = undefined;
    for (const { readers } of views.values())
      for (const { response, isMember } of readers) if (!isMember()) response.end();
  }

  async function refresh(view: View): Promise<void> {
    // Those who come while it is rendered wait for the next look.
    const joining = [...view.readers].filter(({ isNew }) => isNew);
    const staying = [...view.readers].filter(({ isNew }) => !isNew);
    const changed = await changedParts(view);
    for (const reader of staying) if (Object.keys(changed).length > 0) write(reader, event(changed));
    for (const reader of joining) {
      reader.isNew = false;
      write(reader, event(Object.fromEntries(view.parts)));
    }
  }

  /** Renders the parts anew, unless the position says that they are as they were. */
  async function changedParts(view: View): Promise<Record<string, string>> {
    const { page, request } = view.wanted;
    const position = page.liveEveryMs === undefined ? await positionOf(request.team.team_id) : null;
    if (position !== null && position === view.position) return {};
    const reply = await page.handle({ ...request, onlyLive: true });
    view.position = position;
    const changed: Record<string, string> = {};
    for (const [id, node] of Object.entries('live' in reply ? (reply.live ?? {}) : {})) {
      const html = renderToString(node);
      if (view.parts.get(id) === html) continue;
      view.parts.set(id, html);
      changed[id] = html;
    }
    return changed;
  }

  async function checkReaders(view: View): Promise<void> {
    const now = performance.now();
    for (const reader of view.readers) {
      await endIfNotAllowed(reader);
      if (now - reader.aliveAt > ALIVE_EVERY_MS) {
        reader.aliveAt = now;
        write(reader, ': alive\n\n');
      }
    }
  }

  /** A reader about whom nothing can be learned keeps the stream until the next look. */
  async function endIfNotAllowed({ response, allowed }: Reader): Promise<void> {
    try {
      if (!(await allowed())) response.end();
    } catch (error) {
      report(error);
    }
  }

  const isOpen = (key: string, view: View): boolean => views.get(key) === view && !closing.signal.aborted;

  /** Looks once, and again after a while. */
  async function look(key: string, view: View): Promise<void> {
    const { page, request } = view.wanted;
    const next = performance.now() + (page.liveEveryMs ?? everyMs);
    let waitMs = 0;
    try {
      await inTeamShare(request.team.team_id, async () => {
        if (isOpen(key, view)) await refresh(view);
      });
      waitMs = Math.max(0, next - performance.now());
    } catch (error) {
      waitMs = Math.max(everyMs, AFTER_ERROR_MS);
      // What the page is about was deleted: the browser comes back once, and is told so.
      if (isAppError(error, 'not_found')) end(view);
      else report(error);
    }
    if (isOpen(key, view)) startTimer(key, view, waitMs);
  }

  function startTimer(key: string, view: View, ms: number): void {
    view.timer = setTimeout(() => void look(key, view), ms).unref();
  }

  /** Apart from the looks: a view may wait for its turn while a reader loses their right to it. */
  function startChecks(view: View): void {
    view.checks = setTimeout(() => {
      void checkReaders(view).then(() => {
        if (view.readers.size > 0 && !closing.signal.aborted) startChecks(view);
      });
    }, allowedEveryMs).unref();
  }

  function viewOf(key: string, wanted: Wanted): View {
    const present = views.get(key);
    if (present !== undefined) return present;
    const release = admission.admitNow('liveViews', { team: wanted.request.team.team_id });
    const empty = { readers: new Set<Reader>(), parts: new Map<string, string>(), position: null };
    const view: View = { wanted, ...empty, timer: undefined, checks: undefined, release };
    views.set(key, view);
    startTimer(key, view, everyMs);
    startChecks(view);
    return view;
  }

  function leave(key: string, view: View, reader: Reader): void {
    if (!view.readers.delete(reader)) return;
    if (view.readers.size > 0) return;
    stopTimers(view);
    views.delete(key);
    view.release();
  }

  return {
    async follow(ctx, wanted) {
      if (closing.signal.aborted) fail('overloaded', 'Too many pages are open.', { retryAfter: 30 });
      const { team, origin } = wanted.request;
      const url = withoutUnknown(wanted);
      // A part may name the server, as in a command to copy: with the host that one reader has sent, for nobody else.
      const key = `${team.team_id} ${team.role} ${origin} ${url.pathname}${url.search}`;
      // A reader who has left meanwhile would never leave again.
      ctx.respond = !ctx.res.destroyed && ctx.res.socket?.destroyed === false;
      if (!ctx.respond) return undefined;
      // Before the view, so that a reader whose view is refused gives it back with the answer.
      ctx.res.on('close', admission.admitNow('liveReaders', { team: team.team_id }));
      const view = viewOf(key, { ...wanted, request: { ...wanted.request, url } });
      ctx.respond = false;
      const now = performance.now();
      const reader: Reader = {
        response: ctx.res,
        isNew: true,
        allowed: wanted.isAllowed,
        isMember: wanted.isMember,
        aliveAt: now,
      };
      view.readers.add(reader);
      ctx.state['streamBeganAt'] = now;
      ctx.res.on('close', () => leave(key, view, reader));
      ctx.res.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      write(reader, ': open\n\n');
      return undefined;
    },
    close() {
      closing.abort();
      clearTimeout(members);
      for (const view of views.values()) {
        stopTimers(view);
        end(view);
      }
    },
  };
}

/** The address with the parameters that the page knows, each once and in their order: any other makes no view of its own. */
function withoutUnknown({ page: { liveQuery = [] }, request: { url } }: Wanted): URL {
  const known = new URL(url);
  known.search = '';
  for (const name of liveQuery) {
    const value = url.searchParams.get(name);
    if (value !== null) known.searchParams.set(name, value);
  }
  return known;
}

function stopTimers({ timer, checks }: View): void {
  clearTimeout(timer);
  clearTimeout(checks);
}

function write({ response }: Reader, text: string): void {
  // A stream that was ended is not gone until its last bytes are read.
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
  else response.write(text);
}

function end({ readers }: View): void {
  for (const { response } of readers) response.end();
}

/** `parts`: the HTML by the id of its element. */
function event(parts: Readonly<Record<string, string>>): string {
  return `event: parts\ndata: ${JSON.stringify(parts)}\n\n`;
}
