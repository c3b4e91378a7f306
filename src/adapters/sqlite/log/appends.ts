/** Appends to the SQLite log: through its writer, with the watermarks of what is under way. */
import type { Appended, ErasedPart, ErasePart, EventLog } from '../../../ports/event-log.js';
import { AppError } from '../../../errors.js';
import { openWriter } from '../writer.js';
import { logStore, positionOfRow } from './file.js';
import { REFUSED, toAppendCall, type AppendCall, type AppendOutcome } from './append-call.js';
import type { Watermarks } from './watermarks.js';

export type Appends = {
  append: EventLog['append'];
  erase: NonNullable<EventLog['erase']>;
  /** Ends when all earlier appends are answered and the file is closed. */
  close(): Promise<void>;
};

/** `onLost`: the writer thread has died, and its last commit may be one without an answer. */
export function openAppends(
  file: string,
  onLost: () => void,
  watermarks: Pick<Watermarks, 'begin' | 'end'>,
): Appends {
  const writer = openWriter<AppendCall, AppendOutcome>(logStore(file), 'log', onLost);
  const eraser = openWriter<ErasePart, ErasedPart>(logStore(file), 'erasing');
  return {
    append: async (stream, expected, events) => {
      const call = toAppendCall(stream, expected, events);
      watermarks.begin(stream);
      // Null: it may have been written all the same.
      let row: number | null = null;
      try {
        const outcome = await writer.write(call);
        row = outcome[0] === REFUSED ? 0 : outcome[1];
        return appendedOf(call, outcome);
      } finally {
        // Before the caller has the answer: it may look at once.
        watermarks.end(stream, row);
      }
    },
    erase: (part) => eraser.write(part),
    close: async () => void (await Promise.all([writer.close(), eraser.close()])),
  };
}

/** @throws AppError `wrong_revision` */
function appendedOf([stream]: AppendCall, [first, second]: AppendOutcome): Appended {
  if (first !== REFUSED) return { revision: first, position: positionOfRow(second) };
  const actual = second === REFUSED ? 'empty' : `at revision ${second}`;
  throw new AppError('wrong_revision', `The stream ${stream} is ${actual}`);
}
