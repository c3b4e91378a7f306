/**
 * A process that appends in 8 loops and prints each answer as a line of JSON. Tests kill it or fill its disk. It
 * repeats the identical append after `log_unavailable`. Arguments: the folder, and the number of bytes per event.
 */
import { randomUUID } from 'node:crypto';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { isAppError } from '../../../src/errors.js';
import { newEvent, newTeam } from '../../contract/event-log/events.js';
import { eventsOf } from '../../stores.js';
import type { ChildData } from './log.folder.js';

export type ChildLine =
  | { acknowledged: { call: string; revision: number; position: string } }
  | { unavailable: string; retryAfter: number | undefined; readable: boolean };

const [, , folder = '', bytes = '0'] = process.argv;
const log = await openSqliteLog({ folder, mode: 'writer' });
const padding = 'x'.repeat(Number(bytes));
await Promise.all(Array.from({ length: 8 }, (_, index) => appendForEver(index)));

async function appendForEver(loop: number): Promise<void> {
  const stream = `run-${newTeam()}.run_${loop}`;
  for (let revision = -1; ;) {
    const call = randomUUID();
    const of = 1 + Math.floor(Math.random() * 5);
    const events = Array.from({ length: of }, (_, index) =>
      newEvent({ call, of, index, padding } satisfies ChildData & { padding: string }),
    );
    const expected = revision === -1 ? 'none' : revision;
    for (let answered = false; !answered;) {
      try {
        const appended = await log.append(stream, expected, events);
        print({ acknowledged: { call, ...appended } });
        ({ revision } = appended);
        answered = true;
      } catch (error) {
        if (!isAppError(error, 'log_unavailable')) throw error;
        const readable = (await eventsOf(log, stream)).length === revision + 1;
        print({ unavailable: error.message, retryAfter: error.retryAfter, readable });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}

function print(line: ChildLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
