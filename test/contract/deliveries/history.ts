/** How past deliveries are listed, counted and purged. */
import { expect } from 'chai';
import { delivery, finished, idsOf, second, type DeliveriesUnderTest } from './subject.js';

export function deliveriesHistoryContract(subject: DeliveriesUnderTest): void {
  it('lists the deliveries of a webhook by place, in both directions, by state, with their number', async () => {
    await subject.deliveries.add([4, 2, 1, 3].map((n) => delivery('a', 'x', n)));
    await subject.deliveries.add([delivery('b', 'x', 5)]);
    const first = await subject.deliveries.get('delivery_a_1');
    await subject.deliveries.put(finished(first!.delivery, 'exhausted'), first!.version, second(0));
    const find = async (query: Partial<Parameters<typeof subject.deliveries.find>[1]>) => {
      const all = { direction: 'ascending', offset: 0, limit: 9 } as const;
      const { items, total } = await subject.other.find('a', { ...all, ...query });
      return {
        ids: idsOf(items)
          .map((id) => id.slice(-1))
          .join(''),
        total,
      };
    };
    expect(await find({})).to.deep.equal({ ids: '1234', total: 4 });
    expect(await find({ direction: 'descending', limit: 2 })).to.deep.equal({ ids: '43', total: 4 });
    expect(await find({ direction: 'descending', offset: 3, limit: 2 })).to.deep.equal({
      ids: '1',
      total: 4,
    });
    expect(await find({ state: 'exhausted' })).to.deep.equal({ ids: '1', total: 1 });
    expect(await find({ state: 'pending', offset: 1 })).to.deep.equal({ ids: '34', total: 3 });
    expect(await find({ state: 'cancelled' })).to.deep.equal({ ids: '', total: 0 });
    const after = delivery('a', 'x', 2).place;
    expect(await find({ after })).to.deep.equal({ ids: '34', total: 2 });
    expect(await find({ after, direction: 'descending', limit: 1 })).to.deep.equal({ ids: '4', total: 2 });
    expect(await find({ after, state: 'exhausted' })).to.deep.equal({ ids: '', total: 0 });
    expect(await find({ after, state: 'pending', offset: 1 })).to.deep.equal({ ids: '4', total: 2 });
    expect(
      await subject.deliveries.find('none', { direction: 'ascending', offset: 0, limit: 9 }),
    ).to.deep.equal({ items: [], total: 0 });
  });

  it('gives the states of many deliveries at once, without those that do not exist', async () => {
    const many = Array.from({ length: 1_500 }, (_, n) => delivery('a', `s${n}`, n));
    await subject.deliveries.add(many);
    await subject.deliveries.add([delivery('b', 'x', 1)]);
    const one = await subject.deliveries.get('delivery_a_1');
    await subject.deliveries.put(finished(one!.delivery, 'exhausted'), one!.version, second(0));
    const ids = [...idsOf(many), 'delivery_b_1', 'delivery_none', '', 'delivery_\0', '\ud800', "' OR 1"];
    const found = await subject.other.statesOf(ids);
    const byId = (each: { id: string }, other: { id: string }) => (each.id < other.id ? -1 : 1);
    expect(found.toSorted(byId)).to.deep.equal(
      [...many, delivery('b', 'x', 1)]
        .map(({ id, webhook_id }) => {
          return { id, webhook_id, state: id === 'delivery_a_1' ? 'exhausted' : 'pending' };
        })
        .toSorted(byId),
    );
    expect(await subject.deliveries.statesOf([])).to.deep.equal([]);
  });

  it('counts the pending deliveries of all webhooks, through every change', async () => {
    await subject.deliveries.add([1, 2, 3].map((n) => delivery('a', `s${n}`, n)));
    await subject.deliveries.add([1, 2].map((n) => delivery('b', 'x', n)));
    expect(await subject.other.pending()).to.equal(5);
    const one = await subject.deliveries.get('delivery_a_1');
    await subject.deliveries.put(finished(one!.delivery), one!.version, second(0));
    expect(await subject.other.pending()).to.equal(4);
    await subject.deliveries.put(one!.delivery, one!.version + 1, second(0));
    expect(await subject.other.pending()).to.equal(5);
    await subject.deliveries.updatePending('a', 'cancel', second(0));
    expect(await subject.other.pending()).to.equal(2);
    await subject.reopen();
    expect(await subject.deliveries.pending()).to.equal(2);
  });

  it('purges old finished deliveries, oldest first, up to the limit, and never a pending one', async () => {
    const created = (n: number) => ({ created_at: second(n) });
    await subject.deliveries.add([
      delivery('a', 'x', 1, created(1)),
      ...[2, 3, 4].map((n) => finished(delivery('a', 'y', n, created(n)))),
      finished(delivery('b', 'y', 9, created(9)), 'cancelled'),
    ]);
    expect(await subject.deliveries.purge(second(5), 2)).to.equal(2);
    expect(await subject.deliveries.get('delivery_a_2')).to.equal(null);
    expect(await subject.deliveries.get('delivery_a_4')).to.not.equal(null);
    expect(await subject.deliveries.purge(second(5), 2)).to.equal(1);
    expect(await subject.deliveries.purge(second(5), 2)).to.equal(0);
    const { items, total } = await subject.deliveries.find('a', {
      direction: 'ascending',
      offset: 0,
      limit: 9,
    });
    expect([idsOf(items), total]).to.deep.equal([['delivery_a_1'], 1]);
    expect(await subject.deliveries.purge(second(9), 9)).to.equal(0);
  });

  it('keeps a delivery that was finished late, however old it is: recovering would send it again', async () => {
    await subject.deliveries.add([1, 2, 3].map((n) => delivery('a', `${n}`, n)));
    const [sent, , cancelled] = await subject.deliveries.claimable('a', second(0), 9);
    await subject.deliveries.put(finished(sent!.delivery), sent!.version, second(50));
    expect(await subject.deliveries.purge(second(50), 9)).to.equal(0);
    expect(await subject.deliveries.updatePending('a', 'cancel', second(60))).to.equal(2);
    expect(await subject.deliveries.purge(second(60), 9)).to.equal(1);
    const held = (await subject.deliveries.get(cancelled!.delivery.id))!;
    const again = { ...cancelled!.delivery, tries: 0 };
    await subject.other.put(again, held.version, second(70));
    expect(await subject.deliveries.purge(second(99), 9), 'the other').to.equal(1);
    const pending = (await subject.deliveries.get(again.id))!;
    await subject.deliveries.put(finished(pending.delivery, 'exhausted'), pending.version, second(80));
    expect(await subject.deliveries.purge(second(80), 9)).to.equal(0);
    expect(await subject.deliveries.purge(second(81), 9)).to.equal(1);
  });
}
