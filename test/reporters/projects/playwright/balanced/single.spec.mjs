import { expect, test } from '@playwright/test';

for (const name of ['one', 'two', 'three', 'four', 'constructor']) test(name, () => {});
test('is known to fail', () => expect(1).toBe(2));
