import { test } from '@playwright/test';

test('prepares', () => {});
test('prepares more', () => {});
