/** Any operations, on either opening, at any time, compared with a map. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { State } from '../../../src/ports/state.js';
import { instant, type StateUnderTest } from './subject.js';

type Known = { value: number; version: number; expiresAt: number | null };
type Expected = 'absent' | 'any' | 'current' | 'stale';
type Operation =
  | { type: 'put'; key: string; value: number; expected: Expected; expiresIn: number | null }
  | { type: 'remove'; key: string; expected: Exclude<Expected, 'absent'> }
  | { type: 'purge'; limit: number }
  | { type: 'wait'; seconds: number };

const key = fc.constantFrom('a', 'b', 'c');
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      key,
      value: fc.nat(99),
      expected: fc.constantFrom<Expected[]>('absent', 'any', 'current', 'stale'),
      expiresIn: fc.option(fc.integer({ min: 0, max: 5 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('remove' as const),
      key,
      expected: fc.constantFrom<Exclude<Expected, 'absent'>[]>('any', 'current', 'stale'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('purge' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 4 }) }),
  },
);

export function stateModelContract(subject: StateUnderTest): void {
  it('stores the same as a map, in any sequence of operations', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(operation, fc.boolean()), { maxLength: 30 }), async (operations) => {
        const kind = `kind ${(runs += 1)}`;
        const model = new Map<string, Known>();
        const highest = new Map<string, number>();
        let now = 0;
        subject.setNow(instant(now));
        await subject.state.purge(instant(1_000_000), 1_000);

        for (const [one, first] of operations) {
          const state = first ? subject.state : subject.other;
          if (one.type === 'wait') subject.setNow(instant((now += one.seconds)));
          else await perform(state, one);
          await agree(subject.state, subject.other);
        }

        function alive(name: string): Known | undefined {
          const known = model.get(name);
          return known === undefined || (known.expiresAt !== null && known.expiresAt < now)
            ? undefined
            : known;
        }

        async function perform(state: State, one: Exclude<Operation, { type: 'wait' }>): Promise<void> {
          if (one.type === 'purge') {
            const gone = [...model].filter(([, { expiresAt }]) => expiresAt !== null && expiresAt < now);
            expect(await state.purge(instant(now), one.limit)).to.equal(Math.min(one.limit, gone.length));
            // The store chooses which of them go first. All of them are absent anyway.
            await state.purge(instant(now), 100);
            for (const [name] of gone) model.delete(name);
            return;
          }
          const current = alive(one.key);
          const version = one.expected === 'stale' ? (current?.version ?? 1) - 1 : (current?.version ?? 0);
          const expected = one.expected === 'current' || one.expected === 'stale' ? version : one.expected;
          const fits =
            expected === 'any' ||
            (expected === 'absent' ? current === undefined : current?.version === expected);
          if (one.type === 'remove') {
            const wanted = expected as number | 'any';
            expect(await state.remove(kind, one.key, wanted)).to.equal(fits && current !== undefined);
            if (fits && current !== undefined) model.delete(one.key);
            return;
          }
          const expiresAt = one.expiresIn === null ? null : now + one.expiresIn;
          const options = { expected, ...(expiresAt === null ? {} : { expiresAt: instant(expiresAt) }) };
          const answer = await state.put(kind, one.key, one.value, options);
          expect(answer !== null).to.equal(fits);
          if (answer === null) return;
          expect(answer).to.be.greaterThan(highest.get(one.key) ?? 0);
          highest.set(one.key, answer);
          model.set(one.key, { value: one.value, version: answer, expiresAt });
        }

        async function agree(...states: State[]): Promise<void> {
          const entries = ['a', 'b', 'c'].flatMap((name) => {
            const known = alive(name);
            return known === undefined ? [] : [{ key: name, value: known.value, version: known.version }];
          });
          for (const state of states) {
            expect(await state.list(kind, { limit: 10 })).to.deep.equal(entries);
            const got = await Promise.all(['a', 'b', 'c'].map((name) => state.get(kind, name)));
            expect(got.filter((entry) => entry !== null)).to.deep.equal(entries);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
}
