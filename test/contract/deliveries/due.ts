/** Which deliveries are due: in order within each subject, and no subject waits for another. */
import { expect } from 'chai';
import type { VersionedDelivery } from '../../../src/ports/deliveries.js';
import { delivery, finished, idsOf, second, type DeliveriesUnderTest } from './subject.js';

export function deliveriesDueContract(subject: DeliveriesUnderTest): void {
  const due = async (webhook: string, at = 0, limit = 100) =>
    idsOf(await subject.deliveries.claimable(webhook, second(at), limit));
  const held = async (id: string): Promise<VersionedDelivery> =>
    (await subject.deliveries.get(id)) ?? expect.fail(`${id} does not exist`);
  const finish = async (id: string, at = 0) => {
    const { delivery: one, version } = await held(id);
    expect(await subject.deliveries.put(finished(one), version, second(at))).to.equal(true);
  };

  it('gives back deliveries as they were added, in every opening and after opening again', async () => {
    const attempts = [
      { at: second(1), status: 500, duration_ms: 12, error: 'HTTP 500', response: 'no “luck” \u{1f4a5}' },
      { at: second(2), status: null, duration_ms: 1, error: 'connection refused', response: null },
    ];
    const one = delivery('a', 'x', 1, { asked: true, attempts, tries: 2, next_attempt_at: second(9) });
    expect(await subject.deliveries.add([one])).to.equal(1);
    expect((await subject.other.get(one.id))?.delivery).to.deep.equal(one);
    await subject.reopen();
    expect((await held(one.id)).delivery).to.deep.equal(one);
    expect(await subject.deliveries.get('delivery_none')).to.equal(null);
    expect(await subject.deliveries.get('a\0b')).to.equal(null);
  });

  it('adds a delivery once, whatever has become of it, and however many callers add it at once', async () => {
    const [one, two, three] = [1, 2, 3].map((n) => delivery('a', `s${n}`, n)) as [never, never, never];
    expect(await subject.deliveries.add([one, two])).to.equal(2);
    await finish('delivery_a_1');
    expect(await subject.other.add([one, two, three])).to.equal(1);
    expect((await held('delivery_a_1')).delivery.state).to.equal('delivered');
    const many = Array.from({ length: 50 }, (_, n) => delivery('b', 'x', n));
    const added = await Promise.all(
      [subject.deliveries, subject.other, subject.deliveries].map((each) => each.add(many)),
    );
    expect(added.reduce((sum, n) => sum + n)).to.equal(50);
    expect(await subject.deliveries.add([])).to.equal(0);
  });

  it('finds a due delivery behind thousands that are not due, and behind thousands of its subject', async () => {
    await subject.deliveries.add(Array.from({ length: 2_500 }, (_, n) => delivery('a', 'x', n)));
    await subject.deliveries.add([delivery('a', 'y', 3_000)]);
    expect(await due('a')).to.deep.equal(['delivery_a_0', 'delivery_a_3000']);
    expect(await due('a')).to.deep.equal(['delivery_a_0', 'delivery_a_3000']);
    await finish('delivery_a_0');
    expect(await due('a')).to.have.members(['delivery_a_1', 'delivery_a_3000']);
  });

  it('lists the webhooks with due deliveries, by id, page by page', async () => {
    const webhooks = ['a', 'b', 'c', 'd'];
    await subject.deliveries.add(
      webhooks.map((webhook, n) => delivery(webhook, 'x', n, { next_attempt_at: second(n) })),
    );
    const waiting = (at: number, after?: string, limit = 9) =>
      subject.deliveries.webhooksWithClaimable(second(at), { limit, ...(after !== undefined && { after }) });
    expect(await waiting(1)).to.deep.equal(['a', 'b']);
    expect(await waiting(9, undefined, 3)).to.deep.equal(['a', 'b', 'c']);
    expect(await waiting(9, 'c', 3)).to.deep.equal(['d']);
    await finish('delivery_a_0');
    expect(await waiting(1)).to.deep.equal(['b']);
  });

  it('lists the webhooks with blocked deliveries, by id, page by page', async () => {
    for (const [n, webhook] of ['a', 'b', 'c', 'd'].entries()) {
      const next_attempt_at = webhook === 'b' ? second(0) : null;
      await subject.deliveries.add(
        [0, 1, 2].map((k) => delivery(webhook, 'x', 10 * n + k, { next_attempt_at })),
      );
    }
    await subject.deliveries.updatePending('d', 'cancel', second(0));
    expect(await subject.other.webhooksWithBlocked({ limit: 9 })).to.deep.equal(['a', 'c']);
    expect(await subject.other.webhooksWithBlocked({ limit: 1 })).to.deep.equal(['a']);
    expect(await subject.other.webhooksWithBlocked({ after: 'a', limit: 9 })).to.deep.equal(['c']);
  });
}
