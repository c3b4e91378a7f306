import { expect } from 'chai';
import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { lookTogether } from '../../src/concurrency/look-together.js';

describe('looks that are joined', () => {
  /** A store that reads when a look begins, and answers some turns of the event loop later. */
  function store({ turns = 0 } = {}) {
    const values = new Map<string, number>();
    const looks: (readonly string[])[] = [];
    const look = lookTogether(async (keys) => {
      looks.push(keys);
      const found = new Map(keys.filter((key) => values.has(key)).map((key) => [key, values.get(key)!]));
      for (let n = 0; n < turns; n += 1) await turn();
      return found;
    });
    return { values, looks, look };
  }

  it('are one for all callers of a turn of the event loop, also for those that are some promises behind', async () => {
    const { values, looks, look } = store();
    values.set('a', 1).set('b', 2);
    const behind = async () => {
      for (let n = 0; n < 10; n += 1) await Promise.resolve();
      return look(['b', 'c']);
    };
    const found = await Promise.all([look(['a', 'b']), behind(), look(['a'])]);
    expect(looks).to.deep.equal([['a', 'b', 'c']]);
    expect(found.map((each) => [...each])).to.deep.equal([
      [
        ['a', 1],
        ['b', 2],
      ],
      [['b', 2]],
      [['a', 1]],
    ]);
    await turn();
    await look(['a']);
    expect(looks).to.have.length(2);
  });

  it('ask for 500 keys at most, unless one caller asks for more, and for nothing where no key is asked for', async () => {
    const { looks, look } = store();
    const keys = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name} ${n}`);
    await Promise.all([look(keys(400, 'a')), look(keys(200, 'b')), look(keys(600, 'c')), look([])]);
    expect(looks.map(({ length }) => length)).to.deep.equal([400, 200, 600]);
  });

  it('fail for each caller, and not for those that ask later', async () => {
    let isBroken = true;
    const look = lookTogether<number>(async () => {
      if (isBroken) throw new Error('broken');
      return new Map([['a', 1]]);
    });
    const failed = await Promise.allSettled([look(['a']), look(['b'])]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    isBroken = false;
    expect([...(await look(['a']))]).to.deep.equal([['a', 1]]);
  });

  it('show each caller what was written before it asked, and nothing that it did not ask for', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ type: fc.constant('write' as const), key }),
      fc.record({ type: fc.constant('ask' as const), keys: fc.array(key, { maxLength: 3 }) }),
      fc.record({ type: fc.constant('promise' as const) }),
      fc.record({ type: fc.constant('turn' as const) }),
    );
    const steps = fc.array(step, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 3 }), async (history, turns) => {
        const { values, look } = store({ turns });
        const checks: Promise<void>[] = [];
        const ask = async (keys: readonly string[]) => {
          const before = new Map(values);
          const found = await look(keys);
          for (const each of found.keys()) expect(keys).to.include(each);
          for (const each of keys) expect(found.get(each) ?? 0).to.be.at.least(before.get(each) ?? 0);
        };
        for (const each of history) {
          if (each.type === 'write') values.set(each.key, (values.get(each.key) ?? 0) + 1);
          else if (each.type === 'ask') checks.push(ask(each.keys));
          else if (each.type === 'turn') await turn();
          else await Promise.resolve();
        }
        await Promise.all(checks);
      }),
    );
  });
});
