import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { foldBatch, foldInto } from '../../src/projecting/fold.js';
import { ALL_PARTITIONS } from '../../src/domain/partition.js';
import type { Change, DocumentKey, ViewWriter } from '../../src/ports/views.js';
import type { Document, Projection } from '../../src/domain/projection.js';
import { at, happened, thingDocuments, things } from './things.js';

/** A store of these documents, and the keys that were loaded from it. */
function storeOf(stored: Record<string, Document> = {}) {
  const loads: string[][] = [];
  const load = async (keys: readonly DocumentKey[]) => {
    loads.push(keys.map(({ id }) => id));
    return keys.map(({ id }) => stored[id] ?? null);
  };
  return { load, loads };
}

describe('folding a batch', () => {
  it('returns each changed document, before and after', async () => {
    const stored = { b: { position: at(1), seen: [7] }, c: { position: at(2), seen: [8] } };
    const { load } = storeOf(stored);
    const events = [happened(3, 'a', 1), happened(4, 'b', 2), happened(5, 'a', 3), happened(6, 'c', null)];
    expect(await foldBatch(things, load, events)).to.deep.equal([
      { collection: 'things', id: 'a', before: null, after: { seen: [1, 3], position: at(5) } },
      { collection: 'things', id: 'b', before: stored.b, after: { seen: [7, 2], position: at(4) } },
      { collection: 'things', id: 'c', before: stored.c, after: null },
    ]);
  });

  it('leaves out a document that was touched but did not change', async () => {
    const { load } = storeOf({ a: { position: at(1), seen: [7] } });
    const events = [happened(2, 'a', 0), happened(3, 'b', 1), happened(4, 'b', null), happened(5, 'c', null)];
    expect(await foldBatch(things, load, events)).to.deep.equal([]);
  });

  it('starts from nothing for a document that was removed in the same batch', async () => {
    const stored = { a: { position: at(1), seen: [7] } };
    const events = [happened(2, 'a', null), happened(3, 'a', 1)];
    expect(await foldBatch(things, storeOf(stored).load, events)).to.deep.equal([
      { collection: 'things', id: 'a', before: stored.a, after: { seen: [1], position: at(3) } },
    ]);
  });

  it('loads each document once, all in one call, and makes no call when nothing is touched', async () => {
    const { load, loads } = storeOf();
    await foldBatch(things, load, [happened(1, 'a', 1), happened(2, 'b', 1), happened(3, 'a', 2)]);
    expect(loads).to.deep.equal([['a', 'b']]);
    const foreign = { ...happened(4, 'a', 1), type: 'TeamCreated' };
    expect(await foldBatch(things, load, [foreign])).to.deep.equal([]);
    expect(loads).to.have.length(1);
  });

  it('does not load a document that its event makes', async () => {
    const making: Projection = {
      ...things,
      touches: ({ data }) => [thingDocuments.atNew((data as { run_id: string }).run_id)],
    };
    const { load, loads } = storeOf();
    const changes = await foldBatch(making, load, [happened(1, 'a', 1)]);
    expect(changes.map(({ id, before }) => ({ id, before }))).to.deep.equal([{ id: 'a', before: null }]);
    expect(loads.flat()).to.deep.equal([]);
  });

  it('throws when a projection touches a document that it did not announce, which was not loaded', async () => {
    const silent: Projection = {
      ...things,
      touches: () => [{ collection: 'things', id: 'other', isNew: false }],
    };
    const folded = foldBatch(silent, storeOf().load, [happened(1, 'a', 1)]);
    const error = await folded.catch((fault: unknown) => fault);
    expect(String(error)).to.include('RunReturnedToPending touches things a without announcing it');
  });

  it('throws when a projection puts the object that it read, which would hide the change', async () => {
    const careless: Projection = {
      ...things,
      apply(documents, { data }) {
        const { run_id: id } = data as { run_id: string };
        documents.put(thingDocuments, id, documents.get(thingDocuments, id)!);
      },
    };
    const { load } = storeOf({ a: { position: at(1), seen: [7] } });
    const error = await foldBatch(careless, load, [happened(2, 'a', 1)]).catch((fault: unknown) => fault);
    expect(String(error)).to.include('puts things a as it was read');
  });

  describe('a change of some fields', () => {
    const changed = new Set<unknown>();
    beforeEach(() => changed.clear());
    /** Sets the newest value alone. */
    const changing: Projection = {
      ...things,
      apply: (documents, { data }) => {
        const { run_id, value } = data as unknown as { run_id: string; value: number };
        documents.change(thingDocuments, run_id, { seen: [value] });
        changed.add(documents.get(thingDocuments, run_id));
      },
    };

    it('leaves the document that was read as it was, and copies it once for a batch', async () => {
      const stored = { a: Object.freeze({ position: at(1), seen: [7], other: 'kept' }) };
      const events = [happened(2, 'a', 8), happened(3, 'a', 9)];
      expect(await foldBatch(changing, storeOf(stored).load, events)).to.deep.equal([
        {
          collection: 'things',
          id: 'a',
          before: { position: at(1), seen: [7], other: 'kept' },
          after: { position: at(3), seen: [9], other: 'kept' },
        },
      ]);
      expect(changed.size).to.equal(1);
    });

    it('is an error in the program where there is no document', async () => {
      const folded = foldBatch(changing, storeOf().load, [happened(1, 'a', 1)]);
      const error = await folded.catch((fault: unknown) => fault);
      expect(String(error)).to.include('RunReturnedToPending changes things a, which is not there');
    });
  });

  it('takes a document that is added without being announced', async () => {
    const adding: Projection = {
      ...things,
      touches: () => [thingDocuments.at('a')],
      apply: (documents) => documents.add(thingDocuments, 'new', { seen: [1] }),
    };
    expect(await foldBatch(adding, storeOf().load, [happened(1, 'a', 1)])).to.deep.equal([
      { collection: 'things', id: 'new', before: null, after: { seen: [1], position: at(1) }, once: true },
    ]);
    const twice = [happened(1, 'a', 1), happened(2, 'a', 2)];
    expect(await foldBatch(adding, storeOf().load, twice), 'the first one stays').to.have.length(1);
  });
});

describe('a move of a fold', () => {
  const moveTo = (n: number) => ({
    events: [happened(n, 'a', n)],
    partitions: ALL_PARTITIONS,
    from: at(n - 1),
    to: at(n),
  });

  /** A store that answers a commit when the test says so. */
  function givenFold() {
    const commits: { changes: readonly Change[]; end: (fault?: Error) => void }[] = [];
    const views = {
      load: async (_spec: unknown, _build: number, keys: readonly unknown[]) => keys.map(() => null),
      commit: (_spec: unknown, { changes }: { changes: readonly Change[] }) =>
        new Promise<void>((resolve, reject) => {
          commits.push({ changes, end: (fault) => (fault === undefined ? resolve() : reject(fault)) });
        }),
    } as unknown as ViewWriter;
    return { fold: foldInto(things, views)({ build: 1, epoch: 1 }), commits };
  }

  it('ends when its commit is written', async () => {
    const { fold, commits } = givenFold();
    let ended = false;
    const moved = fold(moveTo(1)).then(() => (ended = true));
    await setImmediate();
    expect(ended).to.equal(false);
    commits[0]!.end();
    await moved;
  });

  it('goes on with what is stored after a commit that failed', async () => {
    const { fold, commits } = givenFold();
    const failed = fold(moveTo(1)).catch(String);
    await setImmediate();
    commits[0]!.end(new Error('not to be stored'));
    expect(await failed).to.equal('Error: not to be stored');
    void fold(moveTo(1));
    await setImmediate();
    expect(commits[1]!.changes[0]).to.deep.include({ before: null, after: { seen: [1], position: at(1) } });
  });

  it('commits nothing where it has no events and the checkpoint stays', async () => {
    const { fold, commits } = givenFold();
    await fold({ events: [], partitions: ALL_PARTITIONS, from: at(1), to: at(1) });
    expect(commits).to.have.length(0);
  });
});
