/**
 * Sends answers in batches, right after one another.
 *
 * To hand an answer to a process on the same machine, a proxy or a client, wakes that process up, and Linux does this
 * within the call that writes: it took 36 % of the processor time of a GET. While that process is awake, the next answers
 * cost little (docs/decisions/032-answers-in-batches.md).
 */

/** The first answer waits until this number is ready: 4 to 64 are equally good, and 2 are not enough. */
const MOST_ANSWERS = 8;

/**
 * Prepares the wait of an answer for its batch. A batch ends with the round of the event loop in which it began, so an
 * answer never waits for requests that have not arrived.
 */
export function openAnswerBatches(): () => Promise<void> {
  let ready: (() => void)[] = [];

  function send(): void {
    const batch = ready;
    ready = [];
    for (const begin of batch) begin();
  }

  return () =>
    new Promise((resolve) => {
      if (ready.length === 0) setImmediate(send);
      if (ready.push(resolve) === MOST_ANSWERS) send();
    });
}
