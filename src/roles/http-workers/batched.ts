/** Sends all messages of one turn of the event loop as one: each message between processes costs two system calls. */

export type Batched<T> = { send(message: T): void; flush(): void };

export function batched<T>(sendAll: (messages: T[]) => void): Batched<T> {
  let unsent: T[] = [];
  function flush(): void {
    if (unsent.length === 0) return;
    const messages = unsent;
    unsent = [];
    sendAll(messages);
  }
  return {
    send(message) {
      if (unsent.push(message) === 1) setImmediate(flush);
    },
    flush,
  };
}
