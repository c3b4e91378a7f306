/** The branches of pull requests: what they change, and what they break until their last push. */
import type { ErrorName } from './errors.js';

export type Branch = {
  name: string;
  pullRequest: number;
  actor: string;
  message: string;
  /** Days before the end of the story. */
  began: number;
  ended: number;
  pushes: number;
  /** What fails on all pushes but the last one, and how. */
  breaks: Readonly<Record<string, ErrorName>>;
};

/** A shard of its run never came, and somebody completed it by hand. A run that is completed so ends now, so it is the newest. */
export const withoutAShard = 'chore/smaller-images';

export const branches: readonly Branch[] = [
  {
    name: withoutAShard,
    pullRequest: 1415,
    actor: 'noor',
    message: 'Send smaller pictures to phones',
    began: 0.01,
    ended: 0.01,
    pushes: 1,
    breaks: {},
  },
  {
    name: 'feature/gift-cards',
    pullRequest: 1412,
    actor: 'mira',
    message: 'Split a payment by gift card',
    began: 4,
    ended: 0,
    pushes: 5,
    breaks: {
      'Checkout: splits a payment by gift card': 'total',
      'Checkout: shows the total with tax': 'total',
    },
  },
  {
    name: 'feature/pick-up-points',
    pullRequest: 1409,
    actor: 'jonas',
    message: 'Offer pick-up points on a map',
    began: 6,
    ended: 1,
    pushes: 4,
    breaks: { 'Delivery: offers a pick-up': 'hidden' },
  },
  {
    name: 'fix/refund-rounding',
    pullRequest: 1407,
    actor: 'aylin',
    message: 'Round refunds as the invoice does',
    began: 7,
    ended: 5,
    pushes: 3,
    breaks: { 'com.shop.payments.RefundServiceTest: refundsAll': 'refund' },
  },
  {
    name: 'dependabot/npm_and_yarn/react-19.2.0',
    pullRequest: 1398,
    actor: 'dependabot[bot]',
    message: 'Raise react from 19.1.1 to 19.2.0',
    began: 11,
    ended: 9,
    pushes: 2,
    breaks: { '<CartBadge>: follows the store': 'act', '<Gallery>: steps with the keys': 'act' },
  },
  {
    name: 'feature/price-alerts',
    pullRequest: 1391,
    actor: 'noor',
    message: 'Tell customers when a price falls',
    began: 16,
    ended: 10,
    pushes: 4,
    breaks: { 'Wish list: shares the list': 'hidden', 'TestCatalogue: test_price_history': 'export' },
  },
  {
    name: 'feature/search-ranking',
    pullRequest: 1384,
    actor: 'tomasz',
    message: 'Rank by what was bought, not by what was clicked',
    began: 21,
    ended: 15,
    pushes: 4,
    breaks: { 'TestCatalogue: test_search_ranking': 'ranking' },
  },
  {
    name: 'chore/node-24',
    pullRequest: 1379,
    actor: 'jonas',
    message: 'Build on Node 24',
    began: 25,
    ended: 23,
    pushes: 2,
    breaks: { 'formatPrice: groups thousands': 'locale', 'delivery dates: writes a weekday': 'locale' },
  },
  {
    name: 'feature/wallets',
    pullRequest: 1366,
    actor: 'aylin',
    message: 'Pay with a wallet of another currency',
    began: 31,
    ended: 24,
    pushes: 5,
    breaks: { 'com.shop.payments.WalletTest: convertsCurrencies': 'refund' },
  },
  {
    name: 'fix/voucher-twice',
    pullRequest: 1352,
    actor: 'mira',
    message: 'Refuse a voucher that was used in another window',
    began: 36,
    ended: 34,
    pushes: 2,
    breaks: { 'Checkout: refuses a used voucher': 'voucher' },
  },
  {
    name: 'feature/new-gallery',
    pullRequest: 1340,
    actor: 'noor',
    message: 'Show pictures in a gallery of our own',
    began: 44,
    ended: 38,
    pushes: 4,
    breaks: { 'Product page: shows pictures': 'hidden', '<Gallery>: closes with Escape': 'lazy' },
  },
  {
    name: 'feature/export-data',
    pullRequest: 1327,
    actor: 'tomasz',
    message: 'Let customers export their data',
    began: 50,
    ended: 46,
    pushes: 3,
    breaks: { 'TestAccounts: test_export_data': 'export' },
  },
  {
    name: 'refactor/cart-store',
    pullRequest: 1311,
    actor: 'mira',
    message: 'Keep the cart in one store',
    began: 57,
    ended: 52,
    pushes: 4,
    breaks: {
      'Cart: merges two carts': 'total',
      'Cart: shows the subtotal': 'total',
      '<CartBadge>: shows the number': 'act',
    },
  },
];

/** What was merged into main, the last one first. It is repeated where there are more pushes. */
export const mainMessages: readonly string[] = [
  'Confirm card payments in one step',
  'Use the new button in the cart',
  'Refund in the currency of the payment',
  'Read the query from the address once',
  'Add the delivery time to the order',
  'Raise playwright from 1.54 to 1.55',
  'Cache the categories for a minute',
  'Sort by rating in the index',
  'Add gift cards behind a switch',
  'Remove the old newsletter form',
  'Log the id of the order with each payment',
  'Ask the carrier for the parcel by its new API',
  'Keep filters when the language changes',
  'Correct the tax of books in Austria',
  'Load pictures of the gallery later',
  'Name the store in the confirmation',
  'Move the session to the new cluster',
  'Retry the stock service once',
  'Show the former price of an article',
  'Make the menu usable by keyboard',
  'Delete carts after 90 days',
  'Limit a search to 200 characters',
  'Say why a card was declined',
  'Write prices without a library',
  'Warn of low stock earlier',
  'Take the invoice from the archive',
  'Merge carts after sign-in',
  'Put the size into the address',
  'Export orders as CSV',
  'Read the reduced tax from the table',
];
