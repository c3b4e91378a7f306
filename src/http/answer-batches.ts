/**
 * Sends answers in batches, right after one another.
 *
 * To hand an answer to a process on the same machine, a proxy or a client, wakes that process up, and Linux does this
 * within the call that writes: it took 36 % of the processor time of a GET. While that process is awake, the next answers
 * cost little (docs/decisions/032-answers-in-batches.md).
 */

/** 4 to 64 are equally good, and 2 are not enough. */
const MOST_ANSWERS = 8;
/** Eight answers take less. Where requests take longer, those that are ready must not wait for all of them. */
const LONGEST_MS = 1;

/**
 * Opens the batches of a server. The function that it returns resolves when the answer may be sent: with the eighth
 * answer, with the first that is ready 1 ms after the batch began, or at the end of this round of the event loop. So an
 * answer never waits for requests that have not arrived.
 */
export function openAnswerBatches(now = () => performance.now()): () => Promise<void> {
  let ready: (() => void)[] = [];
  let began = 0;

  function send(): void {
    const batch = ready;
    ready = [];
    for (const begin of batch) begin();
  }

  return () =>
    new Promise((resolve) => {
      if (ready.push(resolve) === 1) {
        began = now();
        setImmediate(send);
      } else if (ready.length === MOST_ANSWERS || now() - began > LONGEST_MS) send();
    });
}
