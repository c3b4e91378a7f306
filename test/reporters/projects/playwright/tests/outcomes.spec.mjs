import { expect, test } from '@playwright/test';

test('adds up', () => expect(1 + 1).toBe(2));

test.describe('outcomes', { tag: '@outcomes' }, () => {
  test('fails', async () => {
    await test.step('looks', async () => {
      await test.step('closely', () => expect({ total: 1 }).toEqual({ total: 2 }));
    });
  });
  test('is flaky', async ({}, info) => {
    await info.attach('notes', { body: `try ${info.retry}`, contentType: 'text/plain' });
    expect(info.retry).toBe(1);
  });
  test('fails as expected', () => {
    test.fail();
    throw new Error('known');
  });
  test.skip('is skipped', () => {});
  test.fixme('is to be mended', () => {});
  test('skips itself', () => test.skip(true, 'no printer'));
  test('keeps a file', async ({}, info) => {
    const { writeFile } = await import('node:fs/promises');
    const path = info.outputPath('drawing.svg');
    await writeFile(path, '<svg/>');
    await info.attach('drawing', { path, contentType: 'image/svg+xml' });
  });
  test('ünïcödé 🦦 日本語 \u001b[1mbold\u001b[22m', () => {});
});

// Playwright starts a new process after each failure, so these are not retried.
test.describe('once', () => {
  test.describe.configure({ retries: 0 });
  test('passes against the expectation', () => {
    test.fail();
  });
  test('takes too long', async () => {
    test.setTimeout(50);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  });
});
