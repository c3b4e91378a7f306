import { beforeEach, describe, expect, it } from 'vitest';

let tries = 0;

describe('sums', () => {
  it('adds up', () => expect(1 + 1).toBe(2));
  it('fails', () => expect({ total: 1 }).toEqual({ total: 2 }));
  it('is flaky', { retry: 3 }, () => {
    tries += 1;
    expect(tries).toBe(3);
  });
  it.skip('is skipped', () => {});
  it.todo('is to be written');
  it('has colours', () => {
    throw new Error('\u001b[31mred\u001b[39m 🦦 日本語');
  });
  it('keeps a file', async ({ annotate }) => {
    await annotate('notes', { contentType: 'text/plain', body: 'some notes', bodyEncoding: 'utf-8' });
  });
});

describe('a hook', () => {
  beforeEach(() => {
    throw new Error('closed');
  });
  it('never runs', () => {});
});
