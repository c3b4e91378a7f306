import { describe, it } from 'node:test';

// The same names as in the other file: they are other tests.
void describe('widget', () => {
  void it('renders correctly', () => {});
});
