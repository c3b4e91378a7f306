/**
 * The known failure of a test: somebody knows why it fails, until a certain time, on one branch or on all. It changes no
 * result. The results that are known through it are marked where the histories of tests are folded.
 */
import { isDeepStrictEqual } from 'node:util';
import { addMilliseconds } from '../clock.js';
import { invalid } from '../errors.js';
import { limits } from '../limits.js';
import type { Decider } from './decider.js';
import type { EnvironmentKey } from './environment.js';
import { streamName, type Instant, type StreamName } from './event.js';
import type { EventData, KnownFailureEvent } from './events.js';
import { isId } from './ids.js';
import { mustBePresent, none, notFound, type None, type Present } from './life.js';

/** `set_at`: when it was set, or replaced another one. */
export type KnownFailureRecord = EventData['KnownFailureSet'] & { set_at: Instant };

/** Absent once it has ended: the test may get another one. */
export type KnownFailure = None | Present<KnownFailureRecord>;

export type KnownFailureCommand =
  | { type: 'SetKnownFailure'; at: Instant; data: EventData['KnownFailureSet'] }
  /** `project_id`: it must be a test of this project. */
  | { type: 'EndKnownFailure'; project_id: string }
  /** Ends it if it was set for all tests of this group of failures. */
  | { type: 'EndKnownThrough'; group: string }
  /** Ends it if its time is over. */
  | { type: 'ExpireKnownFailure'; at: Instant };

export const knownFailure: Decider<KnownFailure, KnownFailureCommand, KnownFailureEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'SetKnownFailure': {
        const { at, data } = command;
        checkExpiry(data.expires_at, at);
        return state.life === 'present' && isSame(state, data) ? [] : [{ type: 'KnownFailureSet', data }];
      }
      case 'EndKnownFailure': {
        const { test_id, project_id, test_name } = mustBePresent(state, 'known failure');
        if (project_id !== command.project_id) notFound('known failure');
        return [{ type: 'KnownFailureEnded', data: { test_id, project_id, test_name, ended: 'requested' } }];
      }
      case 'EndKnownThrough': {
        if (state.life === 'none' || state.group !== command.group) return [];
        const { test_id, project_id, test_name } = state;
        return [{ type: 'KnownFailureEnded', data: { test_id, project_id, test_name, ended: 'requested' } }];
      }
      case 'ExpireKnownFailure': {
        if (state.life === 'none' || command.at < state.expires_at) return [];
        const { test_id, project_id, test_name } = state;
        return [{ type: 'KnownFailureEnded', data: { test_id, project_id, test_name, ended: 'expired' } }];
      }
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'KnownFailureSet':
        return { life: 'present', ...event.data, set_at: event.meta.at };
      case 'KnownFailureEnded':
        return none;
      default:
        return state;
    }
  },

  most: { events: limits.eventsPerStream, isExempt: ({ type }) => type !== 'SetKnownFailure' },
};

/** Beside the stream of the test, whose only writer is the fold of the history. @throws AppError `not_found` for a malformed id. */
export function knownFailureStream(team: string, testId: string): StreamName {
  if (!isId('test', testId)) notFound('test');
  return streamName('known', team, testId);
}

/**
 * Whether a failure at this instant, on this branch and in this environment, is known. It has not ended: the events of both say so.
 * `environment` null: it is known in all.
 */
export function covers(
  known: Pick<KnownFailureRecord, 'branch' | 'expires_at'> & { environment: EnvironmentKey | null },
  failure: { branch: string | null; environment: EnvironmentKey; at: Instant },
): boolean {
  const { branch, environment, expires_at } = known;
  return (
    failure.at < expires_at &&
    (branch === null || branch === failure.branch) &&
    (environment === null || environment === failure.environment)
  );
}

function isSame(
  state: KnownFailureRecord,
  { reason, branch, environment, expires_at, group }: EventData['KnownFailureSet'],
) {
  return (
    state.reason === reason &&
    state.branch === branch &&
    state.group === group &&
    state.expires_at === expires_at &&
    isDeepStrictEqual(state.environment ?? null, environment ?? null)
  );
}

/** @throws AppError `validation_failed` */
export function checkExpiry(expiresAt: Instant, at: Instant): void {
  if (expiresAt <= at) invalid('/expires_at', 'too_early', 'must be in the future');
  if (expiresAt > addMilliseconds(at, limits.knownFailureMs)) {
    invalid('/expires_at', 'too_late', 'must not be more than 90 days ahead');
  }
}
