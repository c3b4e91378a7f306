/** Events, teams and waits for the tests of event logs. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Batch, EventLog } from '../../../src/ports/event-log.js';
import type { NewEvent, Position, RecordedEvent } from '../../../src/domain/event.js';
import { isAppError, type ErrorCode } from '../../../src/errors.js';

/** A team that no other test uses. */
export function newTeam(): string {
  return `team_${randomUUID().replaceAll('-', '')}`;
}

export function newEvent(data: unknown = { name: 'a test' }, type = 'ResultCreated'): NewEvent {
  const meta = {
    team_id: 'team_1',
    actor: 'key_1',
    at: '2026-11-21T01:02:03.456Z',
    correlation_id: randomUUID(),
    causation_id: null,
  };
  return { id: randomUUID(), type, version: 1, data, meta };
}

export function newEvents(count: number, type?: string): NewEvent[] {
  return Array.from({ length: count }, (_, index) => newEvent({ index }, type));
}

export function ids(events: readonly { id: string }[]): string[] {
  return events.map(({ id }) => id);
}

/** Expects a AppError with this code, and answers it. */
export async function refusal(promise: Promise<unknown>, code: ErrorCode): Promise<Error> {
  const error = await failure(promise);
  if (!isAppError(error, code)) expect.fail(`not ${code}, but ${String(error)}`);
  return error;
}

/** Expects the error of a mistake in the program, which no client ever gets. */
export async function mistake(call: () => Promise<unknown>): Promise<Error> {
  const error = await failure(Promise.resolve().then(call));
  if (!(error instanceof Error) || isAppError(error)) expect.fail(`not a plain Error, but ${String(error)}`);
  return error;
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => expect.fail(`succeeded: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

/** Waits until the condition holds. @throws Error after the limit. */
export async function until(what: string, condition: () => boolean, limitMs = 60_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export type Following = {
  batches: Batch[];
  events(): RecordedEvent[];
  /** The position of the last batch. */
  position(): Position;
  caughtUp(): boolean;
  /** Aborts, and waits for the end. */
  stop(): Promise<void>;
};

/** Follows in the background, and keeps everything that comes. */
export function following(
  log: EventLog,
  options: Omit<Parameters<EventLog['follow']>[0], 'signal'>,
): Following {
  const batches: Batch[] = [];
  const abort = new AbortController();
  const ended = (async () => {
    for await (const batch of log.follow({ ...options, signal: abort.signal })) batches.push(batch);
  })();
  // `stop` reports the error. Until then it must not count as unhandled.
  ended.catch(() => undefined);
  return {
    batches,
    events: () => batches.flatMap((batch) => batch.events),
    position: () => batches.at(-1)?.position ?? options.after,
    caughtUp: () => batches.at(-1)?.caughtUp === true,
    stop: () => {
      abort.abort();
      return ended;
    },
  };
}

/** All pages after a position, up to the end. */
export async function readToEnd(
  log: EventLog,
  options: Parameters<EventLog['readAll']>[0],
): Promise<{ events: RecordedEvent[]; pages: Batch[] }> {
  const pages: Batch[] = [];
  for (let after = options.after; ;) {
    const page = await log.readAll({ ...options, after });
    pages.push(page);
    after = page.position;
    if (page.caughtUp) return { events: pages.flatMap(({ events }) => events), pages };
  }
}
