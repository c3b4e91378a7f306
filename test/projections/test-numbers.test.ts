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
    const [one, other] = [`test_0000000000000${'1'.padEnd(13, '0')}`, `test_${'0'.repeat(26)}`];
    put(one, { number: 0, ordinal: 0 });
    expect(of(other)).to.equal(null);
    put(other, { number: 7, ordinal: 3 });
    expect([of(one), of(other)]).to.deep.equal([
      { number: 0, ordinal: 0 },
      { number: 7, ordinal: 3 },
    ]);
  });
});
