import { test } from '@playwright/test';

test.describe('a hook', () => {
  test.describe.configure({ retries: 0 });
  test.beforeEach('opens the shop', () => {
    throw new Error('closed');
  });
  test('never runs', () => {});
});

test.describe.serial('in order', () => {
  test('first', () => {});
  test('second', async ({}, info) => {
    if (info.retry === 0) throw new Error('not yet');
  });
  test('third', () => {});
});
