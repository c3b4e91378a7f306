import { expect } from 'chai';
import {
  numbersOf,
  numbersRef,
  putNumbers,
  type TestNumbers,
} from '../../projections/history/test-numbers.js';
import type { Documents } from '../../src/domain/projection.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { idOf } from '../domain/ids.js';

const project = idOf('project');

function numbers() {
  const stored = new Map<string, object>();
  const documents = {
    get: (_: object, id: string) => stored.get(id) ?? null,
    put: (_: object, id: string, document: object) => void stored.set(id, document),
  } as unknown as Documents;
  return {
    stored,
    put: (test: string, all: TestNumbers) => putNumbers(documents, project, test, all),
    of: (test: string) => numbersOf(documents, project, test),
  };
}

describe('the numbers of tests', () => {
  it('are those of each test, and of no other', () => {
    const { stored, put, of } = numbers();
    const ids = Array.from({ length: 3_000 }, (_, n) => testIdOf(project, `pays ${n}`));
    for (const [n, id] of ids.entries()) {
      expect(of(id), id).to.equal(null);
      put(id, { number: n * 1_000, ordinal: n });
    }
    expect(ids.map(of)).to.deep.equal(ids.map((_, n) => ({ number: n * 1_000, ordinal: n })));
    expect(stored.size).to.equal(256);
    expect([...stored.keys()]).to.include(numbersRef(project, ids[0]!).id);
  });

  it('are not found across two tests', () => {
    const { put, of } = numbers();
    const [one, other] = [`test_1${'0'.repeat(25)}`, `test_${'0'.repeat(26)}`];
    put(one, { number: 0, ordinal: 0 });
    expect(of(other)).to.equal(null);
    put(other, { number: 7, ordinal: 3 });
    expect([of(one), of(other)]).to.deep.equal([
      { number: 0, ordinal: 0 },
      { number: 7, ordinal: 3 },
    ]);
  });

  it('are not those of a test whose id differs in any one character', () => {
    const { put, of } = numbers();
    const id = testIdOf(project, 'pays');
    put(id, { number: 0, ordinal: 0 });
    for (let at = 'test_'.length; at < id.length; at += 1) {
      const other = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1);
      expect(of(other), other).to.equal(null);
      put(other, { number: at, ordinal: at });
      expect([of(id), of(other)]).to.deep.equal([
        { number: 0, ordinal: 0 },
        { number: at, ordinal: at },
      ]);
    }
  });
});
