/**
 * Sends answers in batches, right after one another. Linux wakes the process that receives an answer, a proxy or a client on
 * the same machine, within the call that writes it. That took 36 % of the processor time of a GET. While that process is
 * awake, further answers cost little (docs/decisions/032-answers-in-batches.md).
 */

/** 4 to 64 are equally good, and 2 are not enough. */
const MOST_ANSWERS = 8;
/** Eight GETs take less. Where requests take longer, an answer that is ready waits for one more, not for all. */
const LONGEST_MS = 1;

/**
 * Opens the batches of a server. The function that it returns resolves when the answer may be sent: with the eighth
 * answer, with the first that is ready 1 ms after the batch began, or at the end of this turn of the event loop. So an
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
