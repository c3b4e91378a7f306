import type { Reported } from '../reported.js';
import type { Sink } from '../sink.js';

/** A test that ended: its package, how often that began, and the test of the file that it is a part of. */
export type EndedTest = { result: Reported; inside: string; round: number; root: string };

export type HeldFailures = {
  add(ended: EndedTest): void;
  /** A package ended. */
  close(inside: string): void;
  end(): void;
};

const RERUN = 'gotestsum runs a package again for the tests that failed in it';
/** It runs no more than ten of them again, unless it is told to. */
const MOST = 1_000;

/**
 * Failed tests wait for the end of the report, because gotestsum appends what it runs again to the same file. `go test`
 * itself runs each package once, so a package that begins again is that, where nothing but tests that failed before run in
 * it. Otherwise the outputs of several calls are in one file, such as of two architectures: a pass in one of them says
 * nothing of the other. A test that comes again in the same round, as with `-count`, is a result of its own.
 */
export function heldFailures(sink: Sink): HeldFailures {
  const held = new Map<string, { attempts: Reported[]; round: number }[]>();
  const failed = new Set<string>();
  /** Of packages that began again, until it is known why. */
  const again = new Map<string, { ended: EndedTest[]; isRerun: boolean }>();
  let count = 0;

  function release(name: string): void {
    for (const { attempts } of held.get(name) ?? []) {
      count -= 1;
      sink.results(attempts, RERUN);
    }
    held.delete(name);
  }

  function hold({ result, inside, round, root }: EndedTest): void {
    if (result.status !== 'failed') return void sink.results([result]);
    if (failed.size < 10 * MOST) failed.add(`${inside} ${root}`);
    if (count >= MOST) release(held.keys().next().value!);
    const waiting = held.get(result.name) ?? [];
    waiting.push({ attempts: [result], round });
    held.set(result.name, waiting);
    count += 1;
  }

  function join(ended: EndedTest): void {
    const { result, round } = ended;
    const before = held.get(result.name)?.find((each) => each.round < round);
    if (before === undefined) return hold(ended);
    before.attempts.push(result);
    before.round = round;
    if (result.status !== 'failed') release(result.name);
  }

  function close(inside: string): void {
    const found = again.get(inside);
    again.delete(inside);
    for (const ended of found?.ended ?? []) (found?.isRerun === true ? join : hold)(ended);
  }

  return {
    add(ended) {
      if (ended.round === 1) return hold(ended);
      const { inside, root } = ended;
      const found = again.get(inside) ?? { ended: [], isRerun: true };
      again.set(inside, found);
      if (!failed.has(`${inside} ${root}`)) found.isRerun = false;
      found.ended.push(ended);
      if (found.ended.length < MOST) return;
      // This many are known to be one or the other.
      for (const each of found.ended) (found.isRerun ? join : hold)(each);
      found.ended = [];
    },
    close,
    end() {
      for (const inside of again.keys()) close(inside);
      for (const name of held.keys()) release(name);
    },
  };
}
