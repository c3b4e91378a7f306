/**
 * Appends from a thread that only reads the log. A log in files has one writer, whose queue is in the main thread. A log on
 * a server takes appends from any thread.
 */
import type { Appended, EventLog, ExpectedRevision } from '../ports/event-log.js';
import type { NewEvent } from '../domain/event.js';
import { isAppError, AppError, reasonOf, type ErrorCode } from '../errors.js';

export type AppendRequest = {
  type: 'append';
  call: number;
  stream: string;
  expected: ExpectedRevision;
  events: readonly NewEvent[];
};

export type AppendAnswer = { type: 'appended'; call: number } & (
  { appended: Appended } | { code: ErrorCode; detail: string; retryAfter: number | undefined }
);

/** The end in the thread: sends appends, and gets their answers by `answered`. */
export function remoteAppends(post: (request: AppendRequest) => void): {
  append: EventLog['append'];
  answered(answer: AppendAnswer): void;
} {
  const waiting = new Map<number, { resolve(appended: Appended): void; reject(error: Error): void }>();
  let calls = 0;
  return {
    append: (stream, expected, events) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve, reject });
        post({ type: 'append', call: calls, stream, expected, events });
      }),
    answered(answer) {
      const waiter = waiting.get(answer.call);
      waiting.delete(answer.call);
      if ('appended' in answer) return waiter?.resolve(answer.appended);
      const { code, detail, retryAfter } = answer;
      waiter?.reject(new AppError(code, detail, retryAfter === undefined ? {} : { retryAfter }));
    },
  };
}

/** The main thread's side: appends, and returns the answer. It never throws: the answer carries the fault. */
export async function answerAppend(
  log: Pick<EventLog, 'append'>,
  { call, stream, expected, events }: AppendRequest,
): Promise<AppendAnswer> {
  try {
    return { type: 'appended', call, appended: await log.append(stream, expected, events) };
  } catch (error) {
    const code = isAppError(error) ? error.code : 'internal';
    const retryAfter = isAppError(error) ? error.retryAfter : undefined;
    return { type: 'appended', call, code, detail: reasonOf(error), retryAfter };
  }
}
