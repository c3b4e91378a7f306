/**
 * Keeps the live parts of the page up to date. The stream has the URL of the page: the server sends the parts that have
 * changed. A hidden page listens to nothing, and reads the newest parts when it is shown again.
 */
export function startLive(): void {
  const { live } = document.body.dataset;
  if (live === undefined) return;
  let stream: EventSource | null = null;

  const listen = (): void => {
    if (document.hidden) {
      stream?.close();
      stream = null;
      return;
    }
    if (stream !== null) return;
    stream = new EventSource(live);
    stream.addEventListener('parts', ({ data }: MessageEvent<string>) => {
      show(JSON.parse(data) as Record<string, string>);
      document.body.dataset['liveState'] = 'live';
    });
    stream.addEventListener('open', () => (document.body.dataset['liveState'] = 'live'));
    stream.addEventListener('error', () => (document.body.dataset['liveState'] = 'stale'));
  };

  document.addEventListener('visibilitychange', listen);
  listen();
}

/** Puts the HTML of the server into its places. What the reader has opened or selected in a part stays so. */
function show(parts: Record<string, string>): void {
  for (const [id, html] of Object.entries(parts)) {
    const place = document.getElementById(`live-${id}`);
    if (place === null || place.innerHTML === html) continue;
    const open = new Set([...place.querySelectorAll('details[open][id]')].map((each) => each.id));
    const focused = place.contains(document.activeElement) ? document.activeElement?.id : undefined;
    place.innerHTML = html;
    for (const each of open) document.getElementById(each)?.setAttribute('open', '');
    if (focused) document.getElementById(focused)?.focus();
  }
}
