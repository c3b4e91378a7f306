/** What the events of one result say of it and of the entry that it has in the history of its test. */
import type { LedgerEvent, ResultEvent } from '../../domain/events.js';
import { result, type Result, type ResultStatus } from '../../domain/result.js';
import { textFromMetadata } from '../../domain/run.js';

export type ResultContext = {
  state: Result;
  /** Of the newest event in its own stream; -1 for none there. */
  revision: number;
  run_branch: string | null;
  run_commit: string | null;
  /** A new object each time that the entry is placed; null while the result had no final status. */
  entry: { branch: string | null; commit: string | null } | null;
};

export const noContext: ResultContext = {
  state: result.initial,
  revision: -1,
  run_branch: null,
  run_commit: null,
  entry: null,
};

/** After one more event. */
export function withEvent(before: ResultContext, event: LedgerEvent): ResultContext {
  const state = result.evolve(before.state, event as LedgerEvent<ResultEvent>);
  // An item lies in its run's stream, and its ordinal is no revision of its own.
  const revision = event.type === 'ResultSubmitted' ? -1 : event.revision;
  const born = event.type === 'ResultCreated' || event.type === 'ResultSubmitted' ? event.data : before;
  const { run_branch, run_commit } = born;
  let { entry } = before;
  if (state.life !== 'present') entry = null;
  else if (setsFinalStatus(event)) {
    // Its own before its run's, as both were then.
    const branch = textFromMetadata(state.metadata, 'branch') ?? run_branch;
    // An empty one is what a pipeline sends that does not know it: results of different code are no evidence.
    const commit = (textFromMetadata(state.metadata, 'commit') ?? run_commit) || null;
    entry = { branch, commit };
  }
  return { state, revision, run_branch, run_commit, entry };
}

function setsFinalStatus(event: LedgerEvent): boolean {
  switch (event.type) {
    case 'ResultCreated':
    case 'ResultSubmitted':
      return isFinal(event.data.status);
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
      return event.data.status !== event.data.previous_status && isFinal(event.data.status);
    default:
      return false;
  }
}

function isFinal(status: ResultStatus): boolean {
  return status !== 'Pending' && status !== 'Running';
}
