import assert from 'node:assert';
import { describe, it } from 'node:test';

void describe('widget', () => {
  void it('renders correctly', () => assert.equal(2, 3));
  void it('is not ready', { skip: 'later' }, () => {});
});
