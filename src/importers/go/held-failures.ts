import type { Reported } from '../reported.js';
import type { Sink } from '../sink.js';

export type HeldFailures = {
  /** `round`: how often the package of the test began. */
  add(result: Reported, round: number): void;
  end(): void;
};

const RERUN = 'gotestsum runs a package again for the tests that failed in it';
/** It runs no more than ten of them again, unless it is told to. */
const MOST = 1_000;

/**
 * Failed tests wait for the end of the report, because gotestsum appends what it runs again to the same file. `go test`
 * itself runs each package once, so a package that begins again is that; a test that comes again in the same round, as with
 * `-count`, is a result of its own.
 */
export function heldFailures(sink: Sink): HeldFailures {
  const held = new Map<string, { attempts: Reported[]; round: number }[]>();
  let count = 0;

  function release(name: string): void {
    for (const { attempts } of held.get(name) ?? []) {
      count -= 1;
      sink.results(attempts, RERUN);
    }
    held.delete(name);
  }

  return {
    add(result, round) {
      const waiting = held.get(result.name) ?? [];
      const before = waiting.find((each) => each.round < round);
      if (before !== undefined) {
        before.attempts.push(result);
        before.round = round;
        if (result.status !== 'failed') release(result.name);
        return;
      }
      if (result.status !== 'failed') return void sink.results([result]);
      if (count >= MOST) release(held.keys().next().value!);
      waiting.push({ attempts: [result], round });
      held.set(result.name, waiting);
      count += 1;
    },
    end() {
      for (const name of held.keys()) release(name);
    },
  };
}
