/** The tests of the shop: four suites of three projects, one of them on two systems. */
import { randomFor } from './random.js';

export type SuiteName = 'browser' | 'components' | 'components-windows' | 'api' | 'payments';

export type Suite = {
  name: SuiteName;
  project: ProjectName;
  tool: 'playwright' | 'jest' | 'pytest' | 'junit';
  os: 'linux' | 'windows';
  /** How many jobs share the tests; 1 for a run of one call. */
  shards: number;
  /** How many jobs or workers a shard has at a time. */
  workers: number;
  /** How often a test that failed is tried again. */
  retries: number;
  /** The share of pushes that run it. */
  runs: number;
  tests: readonly Test[];
};

export type ProjectName = 'Web shop' | 'Shop API' | 'Payments';

export type Browser = 'chromium' | 'webkit';

export type Test = {
  /** What the story calls it. */
  key: string;
  name: string;
  file: string;
  line: number;
  suite: string;
  owner: string;
  /** In which of Playwright's projects it runs. */
  browser?: Browser;
  /** How long it takes, more or less. */
  ms: number;
};

export const projects: readonly { name: ProjectName; description: string }[] = [
  { name: 'Web shop', description: 'What customers see: pages, cart and checkout' },
  { name: 'Shop API', description: 'Catalogue, orders and accounts' },
  { name: 'Payments', description: 'Cards, wallets, refunds and the nightly settlement' },
];

/** The titles of a file by its name; `|` stands between them. */
type Files = Readonly<Record<string, { suite: string; owner: string; titles: string }>>;

const browserFiles: Files = {
  'e2e/checkout.spec.ts': {
    suite: 'Checkout',
    owner: '@shop/checkout',
    titles:
      'pays by card|pays by invoice|pays with a wallet|refuses an expired card|asks for 3-D Secure|keeps the address after an error|shows the total with tax|shows the total with shipping|applies a voucher|refuses a used voucher|removes a voucher|splits a payment by gift card|sends the confirmation|shows the order number|looks as designed',
  },
  'e2e/cart.spec.ts': {
    suite: 'Cart',
    owner: '@shop/checkout',
    titles:
      'adds an item|adds two of one item|changes the quantity|removes an item|keeps the cart after sign-in|merges two carts|shows the subtotal|warns of low stock|refuses more than the stock|saves an item for later|empties the cart|looks as designed',
  },
  'e2e/search.spec.ts': {
    suite: 'Search',
    owner: '@shop/discovery',
    titles:
      'finds by name|finds by article number|forgives a typing error|suggests while typing|filters by size|filters by price|filters by colour|sorts by price|sorts by rating|shows the next page|keeps filters in the address|says when nothing is found',
  },
  'e2e/product.spec.ts': {
    suite: 'Product page',
    owner: '@shop/discovery',
    titles:
      'shows pictures|zooms into a picture|chooses a size|chooses a colour|shows the delivery time|shows reviews|writes a review|recommends similar items|shares a link|shows the former price|looks as designed',
  },
  'e2e/account.spec.ts': {
    suite: 'Account',
    owner: '@shop/accounts',
    titles:
      'signs in|signs out|registers|resets the password|changes the address|adds a second address|shows past orders|returns an item|downloads an invoice|follows a parcel|changes the language|deletes the account',
  },
  'e2e/wishlist.spec.ts': {
    suite: 'Wish list',
    owner: '@shop/accounts',
    titles:
      'adds an item|removes an item|shares the list|moves an item to the cart|tells of a lower price|sorts the list',
  },
  'e2e/home.spec.ts': {
    suite: 'Home page',
    owner: '@shop/discovery',
    titles:
      'shows the campaign|shows categories|shows what was seen last|opens the menu|asks for cookies once|changes the currency|finds the next store|subscribes to the newsletter|looks as designed',
  },
  'e2e/delivery.spec.ts': {
    suite: 'Delivery',
    owner: '@shop/orders',
    titles:
      'offers a pick-up|offers a time slot|refuses a post office box|splits a delivery|delivers abroad|shows the cost|keeps the choice|sends a note to the driver|changes the day',
  },
};

const componentFiles: Files = {
  'src/cart/price.test.ts': {
    suite: 'formatPrice',
    owner: '@shop/checkout',
    titles:
      'writes euros|writes yen without decimals|groups thousands|rounds half up|writes a discount|takes zero|takes negative amounts',
  },
  'src/cart/totals.test.ts': {
    suite: 'totals',
    owner: '@shop/checkout',
    titles:
      'adds up lines|adds tax|adds reduced tax|adds shipping|takes off a voucher|never goes below zero|keeps cents exact',
  },
  'src/cart/CartBadge.test.tsx': {
    suite: '<CartBadge>',
    owner: '@shop/checkout',
    titles: 'shows the number|shows 9+ for many|hides when empty|follows the store|has a label',
  },
  'src/search/query.test.ts': {
    suite: 'parseQuery',
    owner: '@shop/discovery',
    titles:
      'reads words|reads quotes|reads filters|reads a price range|ignores blanks|keeps umlauts|stops at 200 characters',
  },
  'src/product/Gallery.test.tsx': {
    suite: '<Gallery>',
    owner: '@shop/discovery',
    titles:
      'shows the first picture|steps with the keys|loads pictures lazily|has alternative texts|shows a video|closes with Escape',
  },
  'src/account/validate.test.ts': {
    suite: 'validate',
    owner: '@shop/accounts',
    titles:
      'takes an e-mail address|refuses a broken address|takes a postal code|takes a long name|refuses a weak password|names every wrong field',
  },
  'src/i18n/dates.test.ts': {
    suite: 'delivery dates',
    owner: '@shop/platform',
    titles: 'writes tomorrow|writes a weekday|writes a range|skips holidays|knows summer time',
  },
};

const apiFiles: Files = {
  'tests/test_orders.py': {
    suite: 'TestOrders',
    owner: '@shop/orders',
    titles:
      'test_create_order|test_create_order_twice|test_cancel_order|test_cancel_shipped_order|test_list_orders|test_list_orders_pages|test_order_of_other_customer|test_order_totals|test_stock_is_reserved',
  },
  'tests/test_catalogue.py': {
    suite: 'TestCatalogue',
    owner: '@shop/discovery',
    titles:
      'test_list_products|test_filter_by_category|test_product_by_sku|test_unknown_sku|test_price_history|test_search_ranking|test_index_is_fresh',
  },
  'tests/test_accounts.py': {
    suite: 'TestAccounts',
    owner: '@shop/accounts',
    titles:
      'test_register|test_register_taken_address|test_sign_in|test_sign_in_rate_limit|test_token_expires|test_export_data|test_delete_data',
  },
  'tests/test_stock.py': {
    suite: 'TestStock',
    owner: '@shop/orders',
    titles:
      'test_reserve|test_release|test_reserve_concurrently|test_negative_stock|test_import_from_warehouse',
  },
};

const paymentFiles: Files = {
  'com.shop.payments.CardPaymentTest': {
    suite: 'com.shop.payments.CardPaymentTest',
    owner: '@shop/payments',
    titles:
      'authorises|captures|voids|declinesExpiredCards|retriesOnTimeout|masksCardNumbers|asksFor3DSecure',
  },
  'com.shop.payments.RefundServiceTest': {
    suite: 'com.shop.payments.RefundServiceTest',
    owner: '@shop/payments',
    titles: 'refundsAll|refundsAPart|refusesMoreThanPaid|refundsTwice|writesTheJournal|notifiesTheCustomer',
  },
  'com.shop.payments.WalletTest': {
    suite: 'com.shop.payments.WalletTest',
    owner: '@shop/wallets',
    titles: 'opensASession|refusesAForeignSession|convertsCurrencies|locksTheBalance|survivesARestart',
  },
  'com.shop.payments.SettlementTest': {
    suite: 'com.shop.payments.SettlementTest',
    owner: '@shop/payments',
    titles: 'settlesADay|settlesAcrossMidnight|skipsOpenPayments|reportsDifferences|runsOnce',
  },
};

type Naming = (file: string, suite: string, title: string) => string;

function testsOf(files: Files, [least, most]: [number, number], nameOf: Naming): Test[] {
  return Object.entries(files).flatMap(([file, { suite, owner, titles }]) => {
    const random = randomFor(file);
    let line = random.between(8, 20);
    return titles.split('|').map((title) => {
      line += random.between(7, 31);
      const ms = Math.round(least * (most / least) ** random.next());
      return { key: `${suite}: ${title}`, name: nameOf(file, suite, title), file, line, suite, owner, ms };
    });
  });
}

const components = {
  project: 'Web shop',
  tool: 'jest',
  shards: 1,
  workers: 4,
  retries: 0,
  tests: testsOf(componentFiles, [2, 90], (_, suite, title) => `${suite} › ${title}`),
} as const satisfies Partial<Suite>;

/** What pays and what finds runs in a second browser. */
const inWebkit = ['e2e/checkout.spec.ts', 'e2e/search.spec.ts'];

function browserTests(browser: Browser): Test[] {
  const named = testsOf(browserFiles, [900, 9_000], (...path) => `${path.join(' › ')} [${browser}]`);
  const own = browser === 'chromium' ? named : named.filter(({ file }) => inWebkit.includes(file));
  // The story is that of Chromium.
  return own.map((test) => ({
    ...test,
    browser,
    ...(browser === 'webkit' && { key: `${test.key} [webkit]` }),
  }));
}

/** The names are those that the reporters and importers of these tools make. */
export const suites: readonly Suite[] = [
  {
    name: 'browser',
    project: 'Web shop',
    tool: 'playwright',
    os: 'linux',
    shards: 4,
    workers: 2,
    retries: 1,
    runs: 1,
    tests: [...browserTests('chromium'), ...browserTests('webkit')],
  },
  { ...components, name: 'components', os: 'linux', runs: 1 },
  { ...components, name: 'components-windows', os: 'windows', runs: 0.3 },
  {
    name: 'api',
    project: 'Shop API',
    tool: 'pytest',
    os: 'linux',
    shards: 1,
    workers: 2,
    retries: 1,
    runs: 0.7,
    tests: testsOf(apiFiles, [40, 1_800], (...path) => path.join(' › ')),
  },
  {
    name: 'payments',
    project: 'Payments',
    tool: 'junit',
    os: 'linux',
    shards: 1,
    workers: 1,
    retries: 1,
    runs: 0.45,
    tests: testsOf(paymentFiles, [15, 2_500], (_, suite, title) => `${suite} › ${title}`),
  },
];
