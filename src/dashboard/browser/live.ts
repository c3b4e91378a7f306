/**
 * Keeps the live parts of the page up to date. The stream has the URL of the page: the server sends the parts that have
 * changed. A hidden page listens to nothing, and reads the newest parts when it is shown again.
 *
 * A browser gives a stream up for good once it is answered by anything else, such as the 502 of a proxy while the server
 * starts again. So the page opens a new one then, at first soon and later less often.
 */
import { startConnectionNote } from './connection-note.js';
import { selectedRow, selectRow } from './keys.js';

const FIRST_WAIT_MS = 2_000;
const MOST_WAIT_MS = 60_000;

let stop: () => void = () => undefined;

/** Follows what the page shows now, and no longer what it has shown before. */
export function followLive(): void {
  stop();
  stop = () => undefined;
  const { live } = document.body.dataset;
  if (live === undefined) return;
  const note = startConnectionNote();
  let stream: EventSource | null = null;
  let timer = 0;
  let waitMs = FIRST_WAIT_MS;

  const close = (): void => {
    window.clearTimeout(timer);
    stream?.close();
    stream = null;
  };
  const listen = (): void => {
    if (document.hidden) return close();
    if (stream !== null) return;
    window.clearTimeout(timer);
    stream = new EventSource(live);
    stream.addEventListener('parts', ({ data }: MessageEvent<string>) => {
      show(JSON.parse(data) as Record<string, string>);
    });
    stream.addEventListener('open', () => {
      waitMs = FIRST_WAIT_MS;
      document.body.dataset['liveState'] = 'live';
      note.connected();
    });
    stream.addEventListener('error', () => {
      document.body.dataset['liveState'] = 'stale';
      note.lost();
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      timer = window.setTimeout(listen, waitMs);
      waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
      void isSignedOut(live).then((isOver) => {
        if (!isOver || stream !== null) return;
        // No more attempts by itself: only a person can sign in.
        window.clearTimeout(timer);
        note.signedOut();
      });
    });
  };

  document.addEventListener('visibilitychange', listen);
  stop = () => {
    document.removeEventListener('visibilitychange', listen);
    close();
    note.connected();
  };
  listen();
}

/** A stream does not tell with which status it was refused. */
async function isSignedOut(url: string): Promise<boolean> {
  const ending = new AbortController();
  try {
    const { status } = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: ending.signal });
    return status === 401;
  } catch {
    return false;
  } finally {
    ending.abort();
  }
}

/** Puts the HTML of the server into its places. What the reader has opened or selected in a part stays so. */
function show(parts: Record<string, string>): void {
  for (const [id, html] of Object.entries(parts)) {
    const place = document.getElementById(`live-${id}`);
    if (place === null || place.innerHTML === html) continue;
    const open = new Set([...place.querySelectorAll('details[open][id]')].map((each) => each.id));
    const focused = place.contains(document.activeElement) ? document.activeElement?.id : undefined;
    const selected = linkOf(selectedRow());
    place.innerHTML = html;
    for (const each of open) document.getElementById(each)?.setAttribute('open', '');
    if (focused) document.getElementById(focused)?.focus();
    if (selected !== null && selectedRow() === null)
      selectRow([...place.querySelectorAll('[data-row]')].find((row) => linkOf(row) === selected));
  }
}

/** What a row is of: new HTML has another row in its place. */
function linkOf(row: Element | null): string | null {
  return row?.querySelector('a')?.getAttribute('href') ?? null;
}
