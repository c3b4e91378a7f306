/** Waits until all facts of a run are read from answers that are up to date. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../client/index.js';
import { readFacts, type Amounts, type FactsOfRun } from '../summary/read-facts.js';
import { awaitRun, type AwaitedState, type RunWanted } from './await-run.js';

export type FactsWanted = {
  /** The address of the server. */
  server: string;
  waitMs: number;
  amounts: Amounts;
  /** Default: `completed`. */
  state?: AwaitedState;
};

const PAUSE_MS = 250;

/**
 * Returns the facts as they are after `waitMs`, or sooner if nothing is missing. While one answer is behind, all of them
 * are read again, because a verdict of an older answer would contradict the groups of a newer one.
 * @throws CliError `run_unknown`; TestledgerError
 */
export async function awaitFacts(
  client: Client,
  wanted: RunWanted,
  { server, waitMs, amounts, state }: FactsWanted,
): Promise<FactsOfRun> {
  const end = performance.now() + waitMs;
  for (;;) {
    const awaited = await awaitRun(client, wanted, Math.max(end - performance.now(), 0), state);
    const facts = await readFacts(client, server, awaited, amounts);
    const leftMs = end - performance.now();
    if (facts.isCurrent || leftMs <= 0) return facts;
    await pause(Math.min(PAUSE_MS, leftMs));
  }
}
