/** Writes, by one caller and by many at once. */
import { expect } from 'chai';
import { delivery, finished, idsOf, second, type DeliveriesUnderTest } from './subject.js';

export function deliveriesChangesContract(subject: DeliveriesUnderTest): void {
  const held = async (id: string) =>
    (await subject.deliveries.get(id)) ?? expect.fail(`${id} does not exist`);

  it('says of each of many writes at once whether it was done', async () => {
    const all = Array.from({ length: 40 }, (_, n) => delivery('a', `subject ${n}`, n));
    await subject.deliveries.add(all);
    const read = await Promise.all(all.map(({ id }) => held(id)));
    // Every third one is changed by another opening at the same time, and every third one was changed before.
    const before = read.filter((_, n) => n % 3 === 0);
    await Promise.all(before.map((each) => subject.other.put(each.delivery, each.version, second(1))));
    const race = read.map(({ delivery: one, version }, n) => {
      const changed = { ...one, tries: n + 1 };
      return Promise.all([
        subject.deliveries.put(finished(changed), version, second(2)),
        n % 3 === 1 ? subject.other.put(finished(changed, 'exhausted'), version, second(2)) : null,
      ]);
    });
    const answers = await Promise.all(race);
    for (const [n, [ours, theirs]] of answers.entries()) {
      if (n % 3 === 0) expect(ours, `${n}`).to.equal(false);
      if (n % 3 === 1) expect([ours, theirs].filter(Boolean), `${n}`).to.have.length(1);
      if (n % 3 === 2) expect(ours, `${n}`).to.equal(true);
      const { state } = (await held(all[n]!.id)).delivery;
      expect(state, `${n}`).to.equal(n % 3 === 0 ? 'pending' : ours ? 'delivered' : 'exhausted');
    }
  });

  it('cancels no delivery that was created or requeued after the instant', async () => {
    await subject.deliveries.add([1, 2].map((n) => delivery('a', 'x', n)));
    await subject.deliveries.add([delivery('a', 'y', 3, { created_at: second(2) })]);
    const { delivery: again, version } = await held('delivery_a_1');
    await subject.deliveries.put({ ...again, created_at: second(2) }, version, second(2));
    expect(await subject.other.updatePending('a', 'cancel', second(1))).to.equal(1);
    expect(idsOf(await subject.deliveries.claimable('a', second(9), 9))).to.have.members([
      'delivery_a_1',
      'delivery_a_3',
    ]);
    expect(await subject.other.updatePending('a', 'cancel', second(2))).to.equal(2);
  });

  it('cancels thousands of deliveries', async () => {
    await subject.deliveries.add(Array.from({ length: 2_300 }, (_, n) => delivery('a', `s${n % 3}`, n)));
    expect(await subject.deliveries.updatePending('a', 'cancel', second(1))).to.equal(2_300);
    expect(await subject.deliveries.pending()).to.equal(0);
  });

  it('makes deliveries of all webhooks due that wait for longer than until an instant, as if they were new', async () => {
    const waits = (n: number) => ({
      next_attempt_at: second(n),
      scheduled_at: second(n),
      earliest_at: second(n),
    });
    await subject.deliveries.add([
      delivery('a', 'x', 1, { ...waits(50), created_at: second(40), tries: 3 }),
      delivery('a', 'y', 2, waits(9)),
      delivery('a', 'z', 3, { next_attempt_at: null }),
      delivery('b', 'x', 4, waits(50)),
      finished(delivery('b', 'y', 5)),
      delivery('c', 'x', 6, waits(51)),
    ]);
    expect(await subject.deliveries.reschedule(second(9), second(2), 2)).to.equal(2);
    expect(await subject.other.reschedule(second(9), second(2), 9)).to.equal(1);
    expect(await subject.deliveries.reschedule(second(9), second(2), 9)).to.equal(0);
    for (const webhook of ['a', 'b', 'c']) {
      const [due, ...others] = await subject.other.claimable(webhook, second(2), 9);
      expect(others).to.deep.equal([]);
      expect(due!.delivery).to.include({ next_attempt_at: second(2), scheduled_at: null, earliest_at: null });
      expect(due!.delivery).to.include(webhook === 'a' ? { created_at: second(2), tries: 3 } : {});
    }
    expect((await held('delivery_a_2')).delivery).to.include(waits(9));
    expect((await held('delivery_a_3')).delivery.next_attempt_at).to.equal(null);
  });

  it('unblocks only deliveries that a crash left blocked with nothing before them', async () => {
    await subject.deliveries.add([1, 2].map((n) => delivery('a', 'x', n)));
    await subject.deliveries.add([delivery('a', 'z', 5, { next_attempt_at: second(80) })]);
    // The state after a crash: the delivery before it is finished, and the next one was not yet made due.
    await subject.deliveries.add([delivery('a', 'y', 3, { next_attempt_at: null })]);
    await subject.deliveries.add([delivery('a', 'y', 4, { next_attempt_at: null })]);
    await subject.deliveries.add([delivery('b', 'y', 6, { next_attempt_at: null })]);
    expect(idsOf(await subject.deliveries.claimable('a', second(5), 9))).to.deep.equal(['delivery_a_1']);
    expect(await subject.other.updatePending('a', 'unblock', second(5))).to.equal(1);
    const ids = idsOf(await subject.deliveries.claimable('a', second(5), 9));
    expect(ids).to.deep.equal(['delivery_a_1', 'delivery_a_3']);
    expect(await subject.deliveries.updatePending('a', 'unblock', second(5))).to.equal(0);
    expect(await subject.deliveries.claimable('b', second(5), 9)).to.deep.equal([]);
  });

  it('unblocks thousands of subjects, and is fast for a subject with thousands behind its first', async () => {
    const next_attempt_at = null;
    const waiting = Array.from({ length: 20_000 }, (_, n) => delivery('a', 'x', n, { next_attempt_at }));
    await subject.deliveries.add([{ ...waiting[0]!, next_attempt_at: second(90) }, ...waiting.slice(1)]);
    const wedged = Array.from({ length: 2_300 }, (_, n) =>
      delivery('a', `s${n}`, 50_000 + n, { next_attempt_at }),
    );
    await subject.deliveries.add(wedged);
    expect(await subject.deliveries.updatePending('a', 'unblock', second(5))).to.equal(2_300);
    expect(await subject.other.updatePending('a', 'unblock', second(5))).to.equal(0);
    expect(await subject.deliveries.claimable('a', second(5), 9)).to.have.length(9);
    expect((await held('delivery_a_1')).delivery.next_attempt_at).to.equal(null);
  });

  it('loses no delivery and leaves none blocked while many callers work on one webhook at once', async () => {
    const all = Array.from({ length: 120 }, (_, n) => delivery('a', `s${n % 4}`, n));
    await subject.deliveries.add(all);
    const order = new Map<string, { begun: number; place: string }[]>();
    let begun = 0;
    const work = async (mine: typeof subject.deliveries): Promise<void> => {
      for (;;) {
        const found = await mine.claimable('a', second(1), 3);
        if (found.length === 0) return;
        await Promise.all(
          found.map(async ({ delivery: one, version }) => {
            // Noted before the answer: another caller may claim and finish the next delivery before the answer arrives.
            const each = { begun: (begun += 1), place: one.place };
            if (!(await mine.put(finished(one), version, second(1)))) return;
            order.set(one.subject, [...(order.get(one.subject) ?? []), each]);
          }),
        );
      }
    };
    await Promise.all([work(subject.deliveries), work(subject.other), work(subject.deliveries)]);
    // A worker that found nothing due may have looked between the end of one delivery and the start of the next.
    await work(subject.deliveries);
    expect(await subject.deliveries.pending()).to.equal(0);
    for (const done of order.values()) {
      const places = done.toSorted((a, b) => a.begun - b.begun).map(({ place }) => place);
      expect(places).to.deep.equal(places.toSorted());
    }
  });
}
