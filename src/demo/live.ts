/** One more run of main, whose results come while somebody watches. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, SubmitItem } from '../client/index.js';
import { jobsOf } from './runs.js';
import { pushes } from './story.js';
import { suites } from './suites.js';

export type Watching = {
  client: Client;
  projectId: string;
  print: (line: string) => void;
  /** Between two calls. */
  pauseMs?: number;
};

const TESTS_A_CALL = 2;

export async function postLiveRun({ client, projectId, print, pauseMs = 4_000 }: Watching): Promise<void> {
  const suite = { ...suites.find(({ name }) => name === 'browser')!, shards: 1 };
  const last = pushes(Date.now(), 1).findLast(({ own }) => own === null)!;
  const push = { ...last, at: Date.now(), message: 'Enable the button again when the card is valid' };
  const { run } = jobsOf({ projectId, push, suite, number: 9_000, oldest: 1 })[0]!;
  // It begins with its first result: a job of the story begins a minute after its push.
  const { results = [], started_at: _, finished_at: __, ...described } = run;
  const run_key = `live ${new Date(push.at).toISOString()}`;
  const tests = attemptsByTest(results);
  const calls = Math.ceil(tests.length / TESTS_A_CALL);
  print(
    `One more run of main takes ${Math.round((calls * pauseMs) / 60_000)} minutes. Ctrl+C ends it early.`,
  );
  for (let call = 0; call < calls; call += 1) {
    await pause(pauseMs);
    const some = tests.slice(call * TESTS_A_CALL, (call + 1) * TESTS_A_CALL).flat();
    const { id } = await client.submitRun({
      ...described,
      run_key,
      complete: call === calls - 1,
      results: some.map((item) => ({
        ...item,
        started_at: new Date(Date.now() - item.duration_ms!).toISOString(),
      })),
    });
    if (call === 0) print(`The run is ${id}.`);
  }
  print('The run is completed.');
}

/** Only attempts of one call supersede each other. In two calls, a test that passed when it ran again would count as failed. */
function attemptsByTest(items: readonly SubmitItem[]): SubmitItem[][] {
  const tests = new Map<string, SubmitItem[]>();
  for (const item of items) tests.set(item.name, [...(tests.get(item.name) ?? []), item]);
  return [...tests.values()];
}
