/**
 * A writer of views that commits for ever, in a process or in a thread. Tests kill it, read beside it, or fill its
 * disk. Each commit moves the pair `left` and `right` on together, adds a document and deletes an older one. Arguments:
 * the folder, and the number of bytes per document.
 */
import { parentPort } from 'node:worker_threads';
import { openSqliteViewWriter } from '../../../src/adapters/sqlite/views/writer.js';
import type { Change, Document } from '../../../src/ports/views.js';
import { isAppError } from '../../../src/errors.js';
import { at, document, thingsSpec } from '../../contract/views/things.js';
import { KEPT, type ChildMessage } from './views.kept-documents.js';

const [, , folder = '', bytes = '0'] = process.argv;
const spec = thingsSpec();
let stopped = false;
const say = (message: ChildMessage): void => {
  if (parentPort === null) process.send?.(message);
  else parentPort.postMessage(message);
};
// A thread is asked to stop. A process is killed.
parentPort?.once('message', () => (stopped = true));

const writer = openSqliteViewWriter({ folder });
await writer.prepare(spec, 1);
let n = Number((await writer.builds(spec.name))[0]?.position ?? 0);
while (!stopped) {
  n += 1;
  try {
    await commit(n);
    say({ committed: n });
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, retryAfter } = error;
    say({ unavailable: { code, detail: message, retryAfter } });
    break;
  }
  // Lets messages out, and in.
  await new Promise(setImmediate);
}
await writer.close();
parentPort?.close();
process.disconnect?.();

async function commit(to: number): Promise<void> {
  const keys = ['left', 'right', `n${to}`, `n${to - KEPT}`].map((id) => ({ collection: 'things', id }));
  const loaded = await writer.load(spec, 1, keys);
  const after = (id: string): Document | null =>
    id === `n${to - KEPT}`
      ? null
      : document({ n: to, at: id, team: `t${to % 3}`, padding: 'x'.repeat(Number(bytes)) });
  const changes = keys.map((key, index): Change => ({
    ...key,
    before: loaded[index] ?? null,
    after: after(key.id),
  }));
  await writer.commit(spec, {
    build: 1,
    epoch: 1,
    from: at(to - 1),
    to: at(to),
    changes: changes.filter((change) => change.before !== null || change.after !== null),
  });
}
