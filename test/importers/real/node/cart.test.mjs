import assert from 'node:assert';
import { describe, it } from 'node:test';

describe('widget', () => {
  it('renders correctly', () => assert.equal(2, 3));
  it('is not ready', { skip: 'later' }, () => {});
});
