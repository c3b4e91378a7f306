/** The runs of a push, as their jobs submit them. */
import type { RunToSubmit, SubmitItem } from '../client/index.js';
import { failureOf, type ErrorName } from './errors.js';
import { randomFor } from './random.js';
import { durationOf, fateOf, type Push } from './story.js';
import type { Suite, Test } from './suites.js';

/** One call: the results of one shard, or of the whole run. */
export type Job = { run: RunToSubmit; items: readonly Item[] };

/** An item with what the demo knows of it. */
export type Item = { submitted: SubmitItem; test: Test; error: ErrorName | null };

/** Whether a push runs a suite: not every push touches every part of the shop. */
export function runsSuite({ commit, age, own }: Push, { name, runs }: Suite): boolean {
  return runs === 1 || (age === 0 && own === null) || randomFor(`${commit} ${name}`).chance(runs);
}

export type Build = {
  projectId: string;
  push: Push;
  suite: Suite;
  /** The number of the build in its CI service. */
  number: number;
  /** The age of the oldest push of the story. */
  oldest: number;
};

/** The calls of a run, in the order of the shards. */
export function jobsOf(build: Build): Job[] {
  const { push, suite, projectId, number } = build;
  return Array.from({ length: suite.shards }, (_, shard): Job => {
    const tests = suite.tests.filter((_, n) => n % suite.shards === shard);
    const begin = push.at + 60_000 + randomFor(`${push.commit} ${suite.name} ${shard}`).between(0, 25_000);
    const { items, end } = itemsOf(tests, build, begin);
    const run: RunToSubmit = {
      project_id: projectId,
      label: labelOf(suite, number),
      metadata: runMetadata(push, suite, number),
      started_at: instant(begin),
      finished_at: instant(end),
      ...(suite.shards > 1 && {
        run_key: keyOf(push, suite, number),
        shard: { index: shard + 1, total: suite.shards },
      }),
      results: items.map(({ submitted }) => submitted),
    };
    return { run, items };
  });
}

export function labelOf(suite: Suite, number: number): string {
  return `${suite.name} #${number}`;
}

function keyOf(push: Push, suite: Suite, number: number): string {
  return `github ${push.commit.slice(0, 12)} ${suite.name} ${number}`;
}

function runMetadata(push: Push, suite: Suite, number: number): Record<string, unknown> {
  const { branch, commit, actor, message, pullRequest } = push;
  return {
    branch,
    commit,
    actor,
    message,
    tool: suite.tool,
    environment: { os: suite.os },
    build: `github shop/web-shop ${number} attempt 1`,
    ...(pullRequest !== null && { pull_request: pullRequest }),
    ci_url: `https://ci.shop.example/web-shop/builds/${number}`,
  };
}

function itemsOf(
  tests: readonly Test[],
  { push, suite, oldest }: Build,
  begin: number,
): { items: Item[]; end: number } {
  /** When each worker is free. */
  const free = Array.from({ length: suite.workers }, () => begin);
  const items: Item[] = [];
  for (const test of tests) {
    for (const attempt of attemptsOf(test, push, suite)) {
      const worker = free.indexOf(Math.min(...free));
      const ms = attempt.status === 'skipped' ? 0 : attemptMs(attempt, durationOf(test, push, oldest));
      items.push({ test, error: attempt.error, submitted: submittedItem(test, attempt, free[worker]!, ms) });
      free[worker]! += ms + 20;
    }
  }
  return { items, end: Math.max(...free) };
}

type Attempt = { status: 'passed' | 'failed' | 'skipped'; attempt: number; error: ErrorName | null };

function attemptsOf(test: Test, push: Push, { retries, os }: Suite): Attempt[] {
  const fate = fateOf(test, push, os);
  switch (fate.kind) {
    case 'absent':
      return [];
    case 'passed':
    case 'skipped':
      return [{ status: fate.kind, attempt: 1, error: null }];
    case 'failed': {
      const most = retries + 1;
      const failed = Math.min(fate.attempts ?? most, most);
      const attempts = Array.from({ length: failed }, (_, n): Attempt => ({
        status: 'failed',
        attempt: n + 1,
        error: fate.error,
      }));
      return failed === most
        ? attempts
        : [...attempts, { status: 'passed', attempt: failed + 1, error: null }];
    }
  }
}

/** Many failures of browsers are limits of time. */
function attemptMs({ error }: Attempt, ms: number): number {
  switch (error) {
    case 'payButton':
    case 'suggestions':
    case 'hidden':
      return 5_000 + ms;
    case 'wallet':
      return 30_000;
    default:
      return ms;
  }
}

function submittedItem(test: Test, { status, attempt, error }: Attempt, at: number, ms: number): SubmitItem {
  const { name, file, line, suite, owner, browser } = test;
  const failure = error === null ? null : failureOf(error, { file, line, title: titleOf(name) });
  const { message, ...details } = failure ?? { message: '' };
  return {
    name,
    status,
    attempt,
    duration_ms: ms,
    started_at: instant(at),
    ...(failure !== null && { error_message: message }),
    metadata: {
      file,
      line,
      suite,
      owner,
      ...(browser && { environment: { project: browser } }),
      ...(failure !== null && { error: details }),
    },
  };
}

function titleOf(name: string): string {
  return name.split(' › ').at(-1)!;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
