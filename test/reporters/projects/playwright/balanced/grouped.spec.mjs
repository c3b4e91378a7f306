import { test } from '@playwright/test';

test.describe.serial('in order', () => {
  for (const name of ['first', 'second', 'third']) test(name, () => {});
});
test.describe('in any order', () => {
  for (const name of ['left', 'right']) test(name, () => {});
});
