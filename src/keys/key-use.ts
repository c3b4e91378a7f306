/** The time of each key's last use: stored in State, written a few seconds late and at a stop. */
import type { Clock } from '../clock.js';
import { isAppError } from '../errors.js';
import type { State } from '../ports/state.js';

export type KeyUse = {
  used(keyId: string): void;
  lastUsed(keyId: string): Promise<string | null>;
  close(): Promise<void>;
};

const WRITE_EVERY_MS = 5_000;

/** `report` gets each failure of State; a use that was not written is written later. */
export function openKeyUse(state: State, clock: Clock, report: (error: unknown) => void): KeyUse {
  let unwritten = new Map<string, Date>();

  let writing: Promise<boolean> | null = null;

  /** Writes run one at a time. Returns false while State is unavailable. */
  function write(): Promise<boolean> {
    return (writing ??= writeAll().finally(() => (writing = null)));
  }

  async function writeAll(): Promise<boolean> {
    const batch = unwritten;
    unwritten = new Map();
    for (const [keyId, at] of batch) {
      try {
        await record(keyId, at.toISOString());
      } catch (error) {
        report(error);
        if (!isAppError(error, 'state_unavailable')) continue;
        // Each other key would fail too, after seconds and with a line in the log. Uses since then are newer and win.
        unwritten = new Map([...batch, ...unwritten]);
        return false;
      }
    }
    return true;
  }

  /** Other nodes record uses too: the newest use stays, in whatever order they write. */
  async function record(keyId: string, at: string): Promise<void> {
    for (;;) {
      const entry = await state.get<string>('key-use', keyId);
      if (entry !== null && entry.value >= at) return;
      const expected = entry?.version ?? 'absent';
      if ((await state.put('key-use', keyId, at, { expected })) !== null) return;
    }
  }
  const timer = setInterval(() => void write(), WRITE_EVERY_MS).unref();

  return {
    used: (keyId) => void unwritten.set(keyId, clock()),
    async lastUsed(keyId) {
      return (
        unwritten.get(keyId)?.toISOString() ?? (await state.get<string>('key-use', keyId))?.value ?? null
      );
    },
    async close() {
      clearInterval(timer);
      if (writing === null || (await writing)) await write();
    },
  };
}
