import { expect } from 'chai';
import {
  afterAttempt,
  afterLoss,
  cancel,
  mayRecover,
  newDelivery,
  requeue,
  retryNow,
  type Delivery,
  type DeliveryAttempt,
  type Schedule,
} from '../../../src/domain/messages/delivery.js';
import { addMilliseconds } from '../../../src/clock.js';
import type { Message } from '../../../src/domain/messages/message.js';
import { NOW } from '../given.js';
import { idOf } from '../ids.js';

const message: Message = {
  place: `${'1'.padStart(20, '0')}#0`,
  event_id: 'event_01h455vb4pex5vsknk084sn02q',
  type: 'test.failed',
  team_id: idOf('team'),
  subject: idOf('test'),
  at: NOW,
  targets: [],
};

const SECOND = 1_000;
/** Three attempts: the second 10 s after the first, the third 100 s after the second. */
const schedule: Schedule = (attempts) => [10 * SECOND, 100 * SECOND][attempts - 1] ?? null;

type Step = (delivery: Delivery) => Delivery;

const attempt = (answer: Partial<DeliveryAttempt>, at = NOW): DeliveryAttempt => ({
  at,
  status: 500,
  duration_ms: 5,
  error: 'HTTP 500',
  response: '',
  ...answer,
});
const answered =
  (answer: Partial<DeliveryAttempt>, { at = NOW, retryAfterMs = null as number | null } = {}): Step =>
  (delivery) =>
    afterAttempt(delivery, attempt(answer, at), { now: at, retryAfterMs, schedule });
const succeeds = answered({ status: 204, error: null });
const fails = (ms = 0, retryAfterMs: number | null = null) =>
  answered({}, { at: addMilliseconds(NOW, ms), retryAfterMs });
const isGoneAt = answered({ status: 410, error: 'HTTP 410' });
const requeued: Step = (delivery) => requeue(delivery, addMilliseconds(NOW, 5 * SECOND));
const due: Step = (delivery) => retryNow(delivery, addMilliseconds(NOW, SECOND));

function given(...history: Step[]) {
  const present = history.reduce(
    (delivery, step) => step(delivery),
    newDelivery(message, idOf('webhook'), NOW),
  );
  return {
    when(step: Step) {
      const after = step(present);
      return {
        becomes: (changed: Partial<Delivery>) => void expect(after).to.deep.include(changed),
        staysAsItIs: () => void expect(after).to.equal(present),
      };
    },
  };
}

const ended = { next_attempt_at: null };

describe('a delivery', () => {
  it('begins pending and due', () => {
    expect(newDelivery(message, idOf('webhook'), NOW)).to.deep.include({
      state: 'pending',
      asked: false,
      tries: 0,
      attempts: [],
      next_attempt_at: NOW,
      scheduled_at: null,
    });
  });

  it('is delivered by an attempt that succeeds', () =>
    given(fails())
      .when(succeeds)
      .becomes({ state: 'delivered', tries: 2, ...ended }));

  it('stays pending after a failure, as long as the schedule has another attempt', () => {
    const next = addMilliseconds(NOW, 10 * SECOND);
    given().when(fails()).becomes({ state: 'pending', tries: 1, next_attempt_at: next, scheduled_at: next });
  });

  it('is exhausted by the last failure of the schedule', () =>
    given(fails(), fails(10 * SECOND))
      .when(fails(110 * SECOND))
      .becomes({ state: 'exhausted', tries: 3, ...ended }));

  it('is cancelled if the endpoint answers 410, and with its webhook', () => {
    given()
      .when(isGoneAt)
      .becomes({ state: 'cancelled', ...ended });
    given(fails())
      .when(cancel)
      .becomes({ state: 'cancelled', ...ended });
  });

  it('is cancelled if its message is lost, and stays as it ended otherwise', () => {
    const lost: Step = (delivery) => afterLoss(delivery, attempt({ status: null, error: 'lost' }));
    given(fails())
      .when(lost)
      .becomes({ state: 'cancelled', tries: 1, ...ended });
    given(succeeds).when(lost).becomes({ state: 'delivered' });
  });

  it('waits as long as the endpoint asks for, and is not brought forward before', () => {
    const next = addMilliseconds(NOW, 60 * SECOND);
    given()
      .when(fails(0, 60 * SECOND))
      .becomes({ next_attempt_at: next, scheduled_at: next, earliest_at: next });
  });

  it('is not brought forward for a time that doubles with each attempt', () => {
    given()
      .when(fails())
      .becomes({ earliest_at: addMilliseconds(NOW, SECOND) });
    given(fails())
      .when(fails(10 * SECOND))
      .becomes({ earliest_at: addMilliseconds(NOW, 12 * SECOND) });
  });

  it('uses up no scheduled attempt with one that was brought forward', () => {
    const next = addMilliseconds(NOW, 10 * SECOND);
    given(fails())
      .when(fails(4 * SECOND))
      .becomes({ state: 'pending', tries: 1, next_attempt_at: next, scheduled_at: next });
  });

  it('is delivered by an attempt under way that succeeds after the delivery was cancelled', () => {
    given(cancel).when(succeeds).becomes({ state: 'delivered' });
    given(cancel).when(fails()).becomes({ state: 'cancelled', next_attempt_at: null, tries: 0 });
  });

  it('is pending again when it is requeued, and keeps its attempts', () => {
    const now = addMilliseconds(NOW, 5 * SECOND);
    for (const finished of [succeeds, isGoneAt, cancel]) {
      given(finished)
        .when(requeued)
        .becomes({ state: 'pending', asked: true, tries: 0, next_attempt_at: now });
    }
    given(succeeds)
      .when(requeued)
      .becomes({ attempts: [attempt({ status: 204, error: null })] });
  });

  it('is due at once when a user wants it now, unless it is blocked', () => {
    given(fails())
      .when(due)
      .becomes({ asked: true, next_attempt_at: addMilliseconds(NOW, SECOND) });
    given((delivery) => ({ ...delivery, next_attempt_at: null }))
      .when(due)
      .becomes({ asked: true, next_attempt_at: null });
    given(due).when(due).staysAsItIs();
  });

  it('may be recovered when it was finished without success', () => {
    const recoverable = (...steps: Step[]) =>
      mayRecover(
        steps.reduce((delivery, step) => step(delivery), newDelivery(message, idOf('webhook'), NOW)),
      );
    expect([recoverable(), recoverable(succeeds), recoverable(isGoneAt)]).to.deep.equal([false, false, true]);
    expect(recoverable(fails(), fails(10 * SECOND), fails(110 * SECOND))).to.equal(true);
  });

  it('keeps its last 50 attempts', () => {
    let delivery = newDelivery(message, idOf('webhook'), NOW);
    for (let n = 0; n < 60; n += 1) {
      delivery = afterAttempt(delivery, attempt({ duration_ms: n }), {
        now: NOW,
        retryAfterMs: null,
        schedule: () => SECOND,
      });
    }
    expect(delivery.attempts.map(({ duration_ms }) => duration_ms)).to.deep.equal(
      Array.from({ length: 50 }, (_, n) => n + 10),
    );
  });
});
