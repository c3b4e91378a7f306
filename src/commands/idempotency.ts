/**
 * Idempotency-Key. State first records the ids and the instant that the command will use, and the process that works on
 * it; then the answer. Every try uses the same ids, so a write that was committed but not answered is found instead of
 * repeated. Source: draft-ietf-httpapi-idempotency-key-header; docs/api.md, section 1.
 */
import { reachesNoFurther, type Access } from '../domain/teams/access.js';
import type { Instant } from '../domain/event.js';
import { fail } from '../errors.js';
import { instant, addMilliseconds, type Clock } from '../clock.js';
import { idsFrom, newSeed, type CommandIds } from './ids.js';
import { isByWrongClock, LEASE_MS, type Holder } from '../leases/lease.js';
import type { StateEntry, State } from '../ports/state.js';
import { limits } from '../limits.js';

export type StoredAnswer = {
  status: number;
  /** The body as it was sent; null if the answer has none. */
  body: string | null;
};

export type IdempotentRequest = {
  ids: CommandIds;
  at: Instant;
  /** An earlier try may have written. */
  resumed: boolean;
  /**
   * Whether another try has taken over since: the lease of this one lapsed while it was held up. The other try may have
   * written. @throws AppError `state_unavailable`
   */
  takenOver(): Promise<boolean>;
  /**
   * Stores the answer for 24 h and returns the answer to send. If another try has taken over, that is its answer.
   * `secret`: stores only that an answer was sent, and never throws: after a failure, no repeat could get the secret.
   * `again`: stores only that an answer was sent. Each repeat runs the command again, finds its events and answers by
   * them.
   * @throws AppError `state_unavailable` if the answer cannot be stored: a repeat would find the events and might
   *   answer differently, for example if a label has changed since; `in_flight` if another try still works.
   */
  answered(answer: StoredAnswer, options: AnswerRetention): Promise<StoredAnswer>;
  /**
   * The command was refused, so the key becomes free. `refused` and `unknown` never throw: a repeat finds out itself.
   */
  refused(): Promise<void>;
  /** The command may or may not have written. The next try looks for its events. */
  unknown(): Promise<void>;
};

/** `projects`: those of which the answer tells. */
export type AnswerRetention = { secret?: boolean; again?: boolean; projects?: ReadonlySet<string> };

export type Idempotency = (key: {
  scope: string;
  bodyHash: string;
  /** An answer that tells of other projects is not given; null for all projects. */
  project_ids: readonly string[] | null;
}) => Promise<StoredAnswer | IdempotentRequest>;

type IdempotencyRecord = {
  bodyHash: string;
  seed: string;
  at: Instant;
  boot: string;
  until: Instant;
  answer: StoredAnswer | 'secret' | 'again' | null;
  /** The projects of which the answer tells; none for what belongs to no project. */
  projects?: readonly string[];
};

export type AnswerEntry = IdempotencyRecord;

export const ANSWERS = 'idempotency';

/** The entry without its answer, where that has the text; null for any other. */
export function withoutAnswer(
  entry: AnswerEntry,
  text: string,
): { value: AnswerEntry; expiresAt: Instant } | null {
  const { answer, at } = entry;
  const isTold = typeof answer === 'object' && answer?.body?.includes(text) === true;
  if (!isTold) return null;
  return { value: { ...entry, answer: 'again' }, expiresAt: addMilliseconds(at, limits.idempotencyMs) };
}

type Ending = Pick<IdempotencyRecord, 'until' | 'answer' | 'projects'>;

/** What belongs to no project is for keys of the whole team. */
function isOf({ project_ids }: Pick<Access, 'project_ids'>, projects: readonly string[]): boolean {
  return reachesNoFurther({ project_ids }, projects.length === 0 ? null : projects);
}

/** Whether a stored body says what must not be shown any more. */
export type IsForgotten = (body: string) => Promise<boolean>;

/**
 * Long because all ends of a request share its entry and its lease: each is short.
 * @throws from the function: AppError `idempotency_mismatch`, `in_flight`, `already_answered`, `state_unavailable`.
 */
export function openIdempotency(
  state: State,
  { boot, alone }: Holder,
  clock: Clock,
  report: (error: unknown) => void,
  isForgotten: IsForgotten = async () => false,
): Idempotency {
  return async function begin(key) {
    const now = instant(clock);
    const entry = await state.get<IdempotencyRecord>(ANSWERS, key.scope);
    if (entry === null) return reserve({ bodyHash: key.bodyHash, seed: newSeed(), at: now }, null);

    const { bodyHash, answer, until, seed, at, projects = [] } = entry.value;
    if (answer !== null && !isOf(key, projects)) fail('not_found', 'There is no such thing.');
    if (bodyHash !== key.bodyHash) {
      fail('idempotency_mismatch', 'This Idempotency-Key was used with another body.');
    }
    if (answer === 'secret') {
      fail(
        'already_answered',
        'This request was answered before. The secret in the answer is shown only once.',
      );
    }
    if (answer === 'again') return repeated({ seed, at });
    if (answer !== null) {
      const isGone = answer.body !== null && (await isForgotten(answer.body));
      return isGone ? repeated({ seed, at }) : answer;
    }
    // A try that lives after all is taken over as one whose lease has lapsed.
    const abandoned = until <= now || isByWrongClock(until, clock) || (alone && entry.value.boot !== boot);
    if (!abandoned) inFlight();
    return reserve({ bodyHash, seed, at }, entry);

    /** Another try took over the lapsed lease. Its answer counts. */
    async function answerOfTakeover(own: StoredAnswer): Promise<StoredAnswer> {
      const answer = (await state.get<IdempotencyRecord>(ANSWERS, key.scope))?.value.answer ?? null;
      // Both tries answer by the same events.
      if (answer === 'again') return own;
      return answer === null || answer === 'secret' ? inFlight() : answer;
    }

    async function reserve(
      request: Pick<IdempotencyRecord, 'bodyHash' | 'seed' | 'at'>,
      former: StateEntry<IdempotencyRecord> | null,
    ) {
      const value = (more: Ending): IdempotencyRecord => ({
        ...request,
        boot,
        ...more,
      });
      const put = (more: Ending, expected: number | 'absent') =>
        state.put(ANSWERS, key.scope, value(more), {
          expected,
          expiresAt: addMilliseconds(request.at, limits.idempotencyMs),
        });

      let version = await put(
        { until: addMilliseconds(now, LEASE_MS), answer: null },
        former?.version ?? 'absent',
      );
      if (version === null) return inFlight();
      // One write at a time: each expects the version of the write before.
      let last: Promise<void> = Promise.resolve();
      const next = (more: () => Ending): Promise<void> => {
        last = last.then(async () => {
          if (version !== null) version = await put(more(), version);
        });
        return last;
      };
      const renewal = setInterval(() => {
        next(() => ({ until: addMilliseconds(instant(clock), LEASE_MS), answer: null })).catch(
          (error: unknown) => {
            report(error);
            last = Promise.resolve();
          },
        );
      }, LEASE_MS / 3).unref();

      const settle = async (): Promise<void> => {
        clearInterval(renewal);
        await last.catch(report);
        last = Promise.resolve();
      };
      const end = async (write: () => Promise<unknown>): Promise<void> => {
        await settle();
        await write().catch(report);
      };
      const reserved: IdempotentRequest = {
        ids: idsFrom(request.seed),
        at: request.at,
        resumed: former !== null,
        async takenOver() {
          if (version === null) return true;
          const entry = await state.get<IdempotencyRecord>(ANSWERS, key.scope);
          // A renewal that is just under way looks like another try. The caller then looks for events in vain.
          return entry === null || entry.version !== version;
        },
        async answered(answer, { secret = false, again = false, projects: touched = new Set() }) {
          const projects = [...touched];
          if (secret) {
            await end(() => next(() => ({ until: instant(clock), answer: 'secret', projects })));
            return answer;
          }
          await settle();
          await next(() => ({ until: instant(clock), answer: again ? 'again' : answer, projects }));
          return version === null ? answerOfTakeover(answer) : answer;
        },
        refused: () => end(async () => version !== null && (await state.remove(ANSWERS, key.scope, version))),
        unknown: () => end(() => next(() => ({ until: instant(clock), answer: null }))),
      };
      return reserved;
    }
  };
}

/**
 * The request was answered, so its events are in the log. Any number of repeats may read them at once, without a lease.
 */
function repeated({ seed, at }: Pick<IdempotencyRecord, 'seed' | 'at'>): IdempotentRequest {
  const nothing = () => Promise.resolve();
  const answered = (answer: StoredAnswer) => Promise.resolve(answer);
  const takenOver = () => Promise.resolve(false);
  return { ids: idsFrom(seed), at, resumed: true, takenOver, answered, refused: nothing, unknown: nothing };
}

function inFlight(): never {
  return fail('in_flight', 'A request with this Idempotency-Key is still in progress.', { retryAfter: 1 });
}
