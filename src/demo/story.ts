/** What happened in two months: who pushed when, and what each push did to the tests. */
import { branches, mainMessages, type Branch } from './branches.js';
import type { ErrorName } from './errors.js';
import { randomFor } from './random.js';
import type { Suite, Test } from './suites.js';

export type Push = {
  at: number;
  branch: string;
  pullRequest: number | null;
  commit: string;
  actor: string;
  message: string;
  /** How many pushes of main followed the newest one that this push contains: 0 for the last one. */
  age: number;
  /** Null on main. */
  own: { branch: Branch; isLast: boolean } | null;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;

const people = ['mira', 'jonas', 'aylin', 'noor', 'tomasz'];

/** All pushes of the last `days` days before `now`, the oldest first. */
export function pushes(now: number, days: number): Push[] {
  const random = randomFor('main');
  const times = mainTimes(now, days);
  const main = times.map((at, n): Push => {
    const age = times.length - 1 - n;
    const message = mainMessages[age % mainMessages.length]!;
    const actor = random.pick(people);
    return { at, branch: 'main', pullRequest: null, commit: random.hex(40), actor, message, age, own: null };
  });
  const others = branches
    .filter(({ began }) => began < days)
    .flatMap((branch) => branchPushes(branch, now, main));
  return [...main, ...others].sort((a, b) => a.at - b.at);
}

/** Two or three a day, and at the weekend one or none. The last two are of today. */
function mainTimes(now: number, days: number): number[] {
  const times = [now - 4 * HOUR, now - 55 * MINUTE];
  for (let day = 1; day < days; day += 1) {
    const midnight = Math.floor((now - day * DAY) / DAY) * DAY;
    const random = randomFor(`main, ${day} days ago`);
    const weekday = new Date(midnight).getUTCDay();
    const isWeekend = weekday === 0 || weekday === 6;
    const count = isWeekend ? random.between(0, 1) : random.between(2, 3);
    for (let n = 0; n < count; n += 1) {
      const at = midnight + (7 + n * 4) * HOUR + random.between(0, 200) * MINUTE;
      if (at < now - 5 * HOUR) times.push(at);
    }
  }
  return times.sort((a, b) => a - b);
}

function branchPushes(branch: Branch, now: number, main: readonly Push[]): Push[] {
  const random = randomFor(branch.name);
  const { pushes: count, began, ended, actor, message, pullRequest } = branch;
  return Array.from({ length: count }, (_, n): Push => {
    const day = began - ((began - ended) * n) / Math.max(count - 1, 1);
    const later = day < 0.1 ? 4 : random.between(10, 170);
    const at = Math.round(now - day * DAY) - later * MINUTE;
    const age = main.findLast((push) => push.at <= at)?.age ?? main.length - 1;
    const text =
      n === 0 ? message : random.pick(['Mend the tests', 'Follow the review', `${message}, part ${n + 1}`]);
    const own = { branch, isLast: n === count - 1 };
    return { at, branch: branch.name, pullRequest, commit: random.hex(40), actor, message: text, age, own };
  });
}

/** Ages of main, both included: it failed `from` pushes before the last one, up to `to`. */
type Span = { from: number; to: number };

const breaks: readonly (Span & { tests: readonly string[]; error: ErrorName })[] = [
  {
    tests: ['Checkout: pays by card', 'Checkout: asks for 3-D Secure', 'Checkout: sends the confirmation'],
    from: 0,
    to: 0,
    error: 'payButton',
  },
  { tests: ['Cart: looks as designed'], from: 1, to: 0, error: 'visual' },
  { tests: ['parseQuery: keeps umlauts'], from: 1, to: 0, error: 'umlauts' },
  { tests: ['Account: follows a parcel'], from: 5, to: 0, error: 'parcel' },
  { tests: ['Account: downloads an invoice'], from: 12, to: 0, error: 'invoice' },
  { tests: ['TestStock: test_import_from_warehouse'], from: 26, to: 0, error: 'warehouse' },
  { tests: ['com.shop.payments.RefundServiceTest: refundsAPart'], from: 6, to: 0, error: 'refund' },
  { tests: ['Search: sorts by rating'], from: 3, to: 1, error: 'rating' },
  { tests: ['totals: adds reduced tax'], from: 43, to: 38, error: 'tax' },
  {
    tests: ['formatPrice: groups thousands', 'formatPrice: writes euros'],
    from: 23,
    to: 23,
    error: 'locale',
  },
  {
    tests: ['Home page: looks as designed', 'Product page: looks as designed'],
    from: 29,
    to: 27,
    error: 'visual',
  },
  { tests: ['Delivery: shows the cost'], from: 56, to: 51, error: 'total' },
  { tests: ['TestAccounts: test_sign_in_rate_limit'], from: 15, to: 13, error: 'export' },
];

/** For one push, a service was down: everything of a suite failed in its set-up. */
const outages: readonly { suite: string; at: number; error: ErrorName }[] = [
  { suite: 'Account', at: 16, error: 'outage' },
  { suite: 'Wish list', at: 16, error: 'outage' },
  { suite: 'TestOrders', at: 19, error: 'database' },
  { suite: 'TestStock', at: 19, error: 'database' },
];

/** The share of runs in which the first attempt fails. */
const flaky: Readonly<Record<string, { share: number; error: ErrorName }>> = {
  'Search: suggests while typing': { share: 0.18, error: 'suggestions' },
  'Checkout: pays with a wallet [webkit]': { share: 0.2, error: 'wallet' },
  'Cart: keeps the cart after sign-in': { share: 0.12, error: 'session' },
  'Checkout: pays with a wallet': { share: 0.09, error: 'wallet' },
  'Product page: recommends similar items': { share: 0.05, error: 'hidden' },
  'Delivery: offers a time slot': { share: 0.04, error: 'hidden' },
  '<Gallery>: loads pictures lazily': { share: 0.05, error: 'lazy' },
  'TestStock: test_reserve_concurrently': { share: 0.15, error: 'stock' },
  'TestCatalogue: test_index_is_fresh': { share: 0.1, error: 'stale' },
  'com.shop.payments.WalletTest: locksTheBalance': { share: 0.14, error: 'lock' },
};
/** Of the first attempts that fail, the share whose retry fails too. */
const FAILS_AGAIN = 0.15;

const skipped = new Set([
  'Wish list: tells of a lower price',
  'Product page: zooms into a picture',
  'delivery dates: knows summer time',
  'TestOrders: test_cancel_shipped_order',
  'com.shop.payments.SettlementTest: runsOnce',
]);

const added: Readonly<Record<string, number>> = {
  'Checkout: splits a payment by gift card': 8,
  'Wish list: sorts the list': 0,
  'com.shop.payments.WalletTest: survivesARestart': 30,
};
const removed: Readonly<Record<string, number>> = { 'Account: changes the language': 0 };

/** Became many times slower with the last push. */
const slower: Readonly<Record<string, number>> = {
  'Search: filters by price': 9,
  'totals: keeps cents exact': 30,
};
/** Grew slowly, to so many times its duration. */
const growing: Readonly<Record<string, number>> = {
  'TestCatalogue: test_search_ranking': 3.5,
  'Home page: shows the campaign': 2.2,
};

/** A failure that somebody knows of, set before the push of this age. */
export const knownFailure = {
  age: 2,
  test: 'Account: follows a parcel',
  reason: 'SHOP-2214: the test system of the carrier is down. They promise it back next week.',
  days: 12,
};

export type Fate =
  | { kind: 'absent' }
  | { kind: 'skipped' }
  | { kind: 'passed' }
  /** Of its attempts, these many failed before one passed; without a number, all of them. */
  | { kind: 'failed'; error: ErrorName; attempts: number | null };

/** Always fails there: it is broken on Windows, and nothing elsewhere. */
const brokenOnWindows: Readonly<Record<string, ErrorName>> = { 'delivery dates: writes a range': 'locale' };

/** What this push makes of a test. */
export function fateOf(test: Test, push: Push, os: Suite['os']): Fate {
  const { key, suite } = test;
  const onWindows = os === 'windows' ? brokenOnWindows[key] : undefined;
  if (onWindows !== undefined) return { kind: 'failed', error: onWindows, attempts: null };
  const { age, own } = push;
  const ownError = own?.branch.breaks[key];
  const isNew = added[key] !== undefined && age > added[key] && ownError === undefined;
  const isGone = removed[key] !== undefined && age <= removed[key] && own === null;
  if (isNew || isGone) return { kind: 'absent' };
  if (skipped.has(key)) return { kind: 'skipped' };
  if (ownError !== undefined && !own!.isLast) return { kind: 'failed', error: ownError, attempts: null };
  const outage = own === null ? outages.find((one) => one.suite === suite && one.at === age) : undefined;
  if (outage) return { kind: 'failed', error: outage.error, attempts: null };
  const broken = breaks.find(({ tests, from, to }) => tests.includes(key) && age <= from && age >= to);
  if (broken) return { kind: 'failed', error: broken.error, attempts: null };
  const unsteady = flaky[key];
  if (unsteady === undefined) return { kind: 'passed' };
  const random = randomFor(`${push.commit} ${key}`);
  if (!random.chance(unsteady.share)) return { kind: 'passed' };
  // What is new in the last run of main is told above, and not by chance.
  const again = age > 0 && random.chance(FAILS_AGAIN);
  return { kind: 'failed', error: unsteady.error, attempts: again ? null : 1 };
}

/** How long a test takes in a run of this push. */
export function durationOf({ key, ms }: Test, { commit, age, own }: Push, oldest: number): number {
  const noise = 0.85 + 0.35 * randomFor(`${commit} ${key} ms`).next() ** 2;
  const times = age === 0 && own === null ? (slower[key] ?? 1) : 1;
  const grown = 1 + ((growing[key] ?? 1) - 1) * (1 - age / Math.max(oldest, 1));
  return Math.max(1, Math.round(ms * noise * times * grown));
}
