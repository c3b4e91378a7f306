/**
 * The one protocol between the threads of a process: calls by name, each with a number, and their answers. A port may carry
 * calls in both directions. News that wake whoever waits in any thread are no calls (`adapters/sqlite/channels.ts`).
 */
import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { isAppError, AppError, reasonOf, type ErrorCode, type ErrorDetails } from '../errors.js';

/** What one side answers: functions by name, each with one argument. */
export type Calls = { readonly [name: string]: (argument: never) => unknown };

type Sent<C extends Calls, Name extends keyof C> = [
  argument: Parameters<C[Name]>[0],
  transfer?: readonly Transferable[],
];
type Result<C extends Calls, Name extends keyof C> = Awaited<ReturnType<C[Name]>>;

/** One call. Nobody waits for an answer to the number 0. */
type Call = [number: number, name: string, argument: unknown];
type Answer = [number: number, result: unknown, fault?: Fault];
/** Lists, because each message wakes the other thread: all calls of one turn of the event loop are one message. */
type Message = { calls: readonly Call[] } | { answers: readonly Answer[] };

/** An error on its way to another thread, which would lose its class and its fields. Without a code: a fault of ours. */
type Fault = { code?: ErrorCode; detail: string; more?: ErrorDetails; stack?: string | undefined };

type Port = Pick<MessagePort | Worker, 'postMessage'> & {
  on(event: 'message', listener: (message: Message) => void): unknown;
};

export type Caller<C extends Calls> = {
  /** @throws what the other side threw, or what `lost` got */
  call<Name extends keyof C & string>(name: Name, ...sent: Sent<C, Name>): Promise<Result<C, Name>>;
  /** A call without an answer. It is posted at once, after all earlier calls. */
  tell<Name extends keyof C & string>(name: Name, ...sent: Sent<C, Name>): void;
  /** The other side has ended: all calls that wait are refused with this error, and all later ones. */
  lost(error: Error): void;
};

/** The side that calls. */
export function callsTo<C extends Calls>(port: Port): Caller<C> {
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let last = 0;
  let unsent: Call[] = [];
  let moved: Transferable[] = [];
  let gone: Error | null = null;

  port.on('message', (message) => {
    if (!('answers' in message)) return;
    for (const [number, result, fault] of message.answers) {
      const waiter = waiting.get(number);
      waiting.delete(number);
      if (fault === undefined) waiter?.resolve(result as never);
      else waiter?.reject(errorOf(fault));
    }
  });

  function send(): void {
    if (unsent.length === 0) return;
    const [calls, transfer] = [unsent, moved];
    [unsent, moved] = [[], []];
    port.postMessage({ calls } satisfies Message, transfer);
  }

  return {
    call: (name, argument, transfer = []) =>
      new Promise((resolve, reject) => {
        if (gone !== null) return reject(gone);
        waiting.set((last += 1), { resolve, reject });
        moved.push(...transfer);
        // Not in a microtask: one turn of the event loop serves many requests, and their calls go in one message.
        if (unsent.push([last, name, argument]) === 1) setImmediate(send);
      }),
    tell(name, argument, transfer = []) {
      unsent.push([0, name, argument]);
      moved.push(...transfer);
      send();
    },
    lost(error) {
      gone = error;
      [unsent, moved] = [[], []];
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}

/** The side that answers. Answers that are there together are one message. */
export function answerCalls<C extends Calls>(port: Port, handlers: C): void {
  let answers: Answer[] = [];

  port.on('message', (message) => {
    if (!('calls' in message)) return;
    for (const call of message.calls) void answer(call);
  });

  async function answer([number, name, argument]: Call): Promise<void> {
    try {
      const result = await handlers[name]!(argument as never);
      if (number !== 0) post([number, result]);
    } catch (error) {
      if (number === 0) throw error;
      post([number, null, faultOf(error)]);
    }
  }

  function post(made: Answer): void {
    if (answers.push(made) > 1) return;
    // In a microtask: the results of one transaction come one right after the other.
    queueMicrotask(() => {
      port.postMessage({ answers } satisfies Message);
      answers = [];
    });
  }
}

function faultOf(error: unknown): Fault {
  const { stack } = error as Error;
  if (!isAppError(error)) return { detail: reasonOf(error), stack };
  const { code, message: detail, fields, retryAfter, cause } = error;
  // Only the text of the cause, which may hold what cannot be copied.
  const more = { fields, cause: cause && new Error(reasonOf(cause)), ...(retryAfter && { retryAfter }) };
  return { code, detail, more };
}

function errorOf({ code, detail, more, stack }: Fault): Error {
  // The stack is that of the other thread, where the fault is.
  return code === undefined ? Object.assign(new Error(detail), { stack }) : new AppError(code, detail, more);
}
