import { expect } from 'chai';
import { collection } from '../../src/domain/projection.js';
import { readOnce, type TypedViews } from '../../src/projecting/typed-views.js';

const things = collection<{ id: string }>({ name: 'things', ids: 'run', indexes: [] });
const others = collection<{ id: string }>({ name: 'others', ids: 'run', indexes: [] });

describe('views for one answer', () => {
  /** `fail`: the next read fails. */
  const given = (most: number) => {
    const asked: string[] = [];
    let fails = false;
    const get = async ({ name }: { name: string }, ids: readonly string[]) => {
      asked.push(`${name} ${ids.join()}`);
      if (fails) throw new Error('no views');
      return ids.map((id) => (id === 'none' ? null : { id: `${name} ${id}` }));
    };
    const views = readOnce({ get } as unknown as Pick<TypedViews, 'get'>, most);
    const fail = () => (fails = true);
    return { views, asked, fail };
  };

  it('read each document once, in the order of the ids, with null where there is none', async () => {
    const { views, asked } = given(10);
    const [one, two] = await Promise.all([
      views.get(things, ['b', 'none', 'b']),
      views.get(things, ['a', 'b', 'none']),
    ]);
    expect(one).to.deep.equal([{ id: 'things b' }, null, { id: 'things b' }]);
    expect(two).to.deep.equal([{ id: 'things a' }, { id: 'things b' }, null]);
    expect(await views.get(others, ['b'])).to.deep.equal([{ id: 'others b' }]);
    expect(asked).to.deep.equal(['things b,none', 'things a', 'others b']);
  });

  it('keep no more documents than they may, and read the others again', async () => {
    const { views, asked } = given(2);
    const ids = ['a', 'b', 'c', 'd'];
    const all = ids.map((id) => ({ id: `things ${id}` }));
    expect(await views.get(things, ids)).to.deep.equal(all);
    expect(await views.get(things, ids)).to.deep.equal(all);
    expect(asked).to.deep.equal(['things a,b,c,d', 'things a,b']);
  });

  it('fail as the views do', async () => {
    const { views, fail } = given(2);
    fail();
    const failed = await views.get(things, ['a', 'a', 'b']).catch((error: Error) => error.message);
    expect(failed).to.equal('no views');
  });
});
