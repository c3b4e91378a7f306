/**
 * Hides a text from the answer to its redaction on. Where it is, is not known before it was searched for: until then every
 * string that the team is answered lacks it, by all routes, and so on all pages.
 */
import { hiddenText } from '../domain/redaction/mask.js';
import { fail, isAppError } from '../errors.js';
import type { Hidden, Masks } from '../log/masks.js';
import { maskedValue } from '../domain/redaction/mask.js';
import type { Reply, Route } from './route.js';

export function hidingUnmasked(route: Route, masks: Pick<Masks, 'current'>): Route {
  return {
    ...route,
    async handle(call) {
      const reply = await route.handle(call);
      const { team_id: team } = call.key;
      const now = knownMasks(masks, route.method);
      const texts = (now instanceof Promise ? await now : now)?.unmasked(team) ?? [];
      if (reply.stream !== undefined) return hidingStream(reply, texts, { masks, team });
      if (texts.length === 0 || reply.body === undefined) return reply;
      return { ...reply, body: texts.reduce((body, text) => maskedValue(body, text), reply.body) };
    },
  };
}

/**
 * Null where a process has begun while State is away, and knows no mask yet. A write has happened by then, and its answer says what
 * the client has sent: as a refusal it would be sent again. @throws AppError `state_unavailable` for a GET
 */
function knownMasks(masks: Pick<Masks, 'current'>, method: Route['method']): Hidden | Promise<Hidden | null> {
  const now = masks.current();
  if (!(now instanceof Promise)) return now;
  return now.catch((error: unknown) => {
    if (method !== 'GET' && isAppError(error, 'state_unavailable')) return null;
    throw error;
  });
}

type Of = { masks: Pick<Masks, 'current'>; team: string };

/** A stream may begin before a redaction, and end after it. Each of its parts has whole lines. */
function hidingStream(reply: Reply, texts: readonly string[], { masks, team }: Of): Reply {
  const { chunks, endless } = reply.stream!;
  const isText = /json|csv|event-stream/.test(reply.type ?? '');
  if (!isText) {
    if (texts.length > 0)
      fail('views_behind', 'A text is being redacted, and this form cannot be shown without it.', {
        retryAfter: 1,
      });
    return reply;
  }
  async function* hiding(signal: AbortSignal): AsyncGenerator<Uint8Array | string, void> {
    for await (const chunk of chunks(signal)) {
      const now = masks.current();
      yield withoutTexts(chunk, now instanceof Promise ? await now : now, team);
    }
  }
  return { ...reply, stream: { chunks: hiding, endless } };
}

function withoutTexts(chunk: Uint8Array | string, hidden: Hidden, team: string): Uint8Array | string {
  const texts = hidden.unmasked(team);
  if (texts.length === 0) return chunk;
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
  return texts.reduce(hiddenText, text);
}
