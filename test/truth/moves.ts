/** Random moves of pipelines and people in one project: few branches, environments and tests, so that they meet often. */
import * as fc from 'fast-check';

/** How often each comes. `turns` change one result again and again: those of other moves seldom meet. A `row` is a run again and again: one in 6 histories has it, since it takes as long as three others. */
const kinds = {
  run: 22,
  shard: 12,
  call: 3,
  row: 1,
  alone: 3,
  add: 3,
  retry: 6,
  turns: 6,
  correct: 8,
  move: 4,
  delete: 6,
  say: 6,
  again: 6,
  settings: 8,
};
type Kind = keyof typeof kinds;

const kind = fc.oneof(
  ...Object.entries(kinds).map(([name, weight]) => ({ arbitrary: fc.constant(name as Kind), weight })),
);

/** `which`: the run or the result that the move changes. */
export type Move = {
  kind: Kind;
  which: number;
  branch: string;
  commit: string;
  tool: string | null;
  environment: Environment;
  shard: { index: number; total: number; attempt: number };
  items: Item[];
};

export type Item = { test: number; status: Status; attempt: number; environment: Environment };
type Environment = { os: string } | { os: string; node: number } | null;
type Status = 'passed' | 'failed' | 'skipped' | 'known_fail' | 'running';

const environment = fc.constantFrom<Environment[]>(
  null,
  null,
  null,
  null,
  { os: 'linux' },
  { os: 'windows' },
  { os: 'linux', node: 22 },
);

const item = fc.record({
  test: fc.nat(3),
  status: fc.constantFrom<Status[]>(
    'passed',
    'passed',
    'passed',
    'failed',
    'failed',
    'failed',
    'skipped',
    'known_fail',
    'running',
  ),
  attempt: fc.constantFrom(1, 1, 1, 2),
  environment: fc.oneof({ arbitrary: fc.constant(null), weight: 4 }, environment),
});

export const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    kind,
    which: fc.nat(60),
    branch: fc.constantFrom('main', 'main', 'main', 'main', 'feature'),
    commit: fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5'),
    tool: fc.constantFrom(null, null, null, null, 'jest'),
    environment,
    shard: fc.record({
      index: fc.integer({ min: 1, max: 2 }),
      total: fc.constant(2),
      attempt: fc.integer({ min: 1, max: 3 }),
    }),
    items: fc.array(item, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 6, maxLength: 14, size: 'max' },
);

const plain: Move = {
  kind: 'run',
  which: 0,
  branch: 'main',
  commit: 'c1',
  tool: null,
  environment: null,
  shard: { index: 1, total: 2, attempt: 1 },
  items: [0, 1, 2, 3].map((test) => ({ test, status: 'passed', attempt: 1, environment: null })),
};
const [first, ...others] = plain.items;
const completed = 1;
const unfit = 1;

/**
 * Histories in which a newer run is passed over as a baseline, once for each reason: random ones may meet the rarest of them
 * too seldom to say anything about it.
 */
export const passedOver: readonly (readonly Move[])[] = [
  [plain, { ...plain, kind: 'say', which: unfit }, plain],
  [plain, { ...plain, items: [{ ...first!, status: 'skipped' }] }, plain],
  [plain, { ...plain, kind: 'shard' }, { ...plain, kind: 'again', which: completed }, plain],
  [plain, { ...plain, items: [first!] }, { ...plain, items: others }],
];

/** A history of which a run is compared with the one before, and fails: random ones may all have none. */
export const compared: readonly Move[] = [
  plain,
  { ...plain, items: [{ ...first!, status: 'failed' }, ...others] },
];
