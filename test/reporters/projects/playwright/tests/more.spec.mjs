import { test } from '@playwright/test';

for (let n = 0; n < 10; n += 1) test(`more ${n}`, () => {});
