/**
 * A process that puts entries for ever, 20 at a time, and reports each answered one. Tests kill it or fill its disk.
 * Arguments: the folder, the first number, and the number of bytes per value.
 */
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import { isAppError } from '../../../src/errors.js';

const [, , folder = '', first = '0', bytes = '0'] = process.argv;
const state = openSqliteState({ folder });
let n = Number(first);
await Promise.all(Array.from({ length: 20 }, () => putForEver()));
await state.close();
process.disconnect?.();

async function putForEver(): Promise<void> {
  for (;;) {
    const key = String((n += 1));
    try {
      const version = await state.put('kind', key, 'x'.repeat(Number(bytes)), { expected: 'absent' });
      process.send?.({ key, version });
    } catch (error) {
      if (!isAppError(error)) throw error;
      const readable = (await state.list('kind', { limit: 1 })).length === 1;
      process.send?.({ code: error.code, detail: error.message, retryAfter: error.retryAfter, readable });
      return;
    }
  }
}
