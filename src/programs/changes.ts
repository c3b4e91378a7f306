/** `events_since`: the replay of the team's events, in parts that a program can take in. */
import { jsonWithin } from '../dashboard/text/text-page.js';
import type { Given, ToolSource } from './tool.js';

/** After the last event that fits, the next call goes on. One event always fits: its texts are cut. */
export async function readChanges({ api }: ToolSource, { after, limit = 20 }: Given): Promise<object> {
  const page = await api.get('/v1/events', { query: { after, limit } });
  const all = page.data.map(({ type, subject, time, position, actor, data }) => ({
    position,
    type,
    subject,
    time,
    actor,
    data,
  }));
  for (let count = all.length; ; count = Math.floor(count / 2)) {
    const events = all.slice(0, count);
    const next = count === all.length ? page.next : (events.at(-1)?.position ?? page.next);
    const text = jsonWithin({ next, caught_up: page.caught_up && count === all.length }, { events });
    const read = JSON.parse(text) as { left_out?: object };
    if (read.left_out === undefined || count <= 1) return read;
  }
}
