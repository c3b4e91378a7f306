/** When a key was last used: kept in State, written behind, a few seconds late and at a stop. */
import type { Clock } from './clock.js';
import type { State } from './ports.js';

export type KeyUse = {
  used(keyId: string): void;
  lastUsed(keyId: string): Promise<string | null>;
  close(): Promise<void>;
};

const WRITE_EVERY_MS = 5_000;

export function openKeyUse(state: State, clock: Clock, report: (error: unknown) => void): KeyUse {
  let unwritten = new Map<string, Date>();

  async function write(): Promise<void> {
    const batch = unwritten;
    unwritten = new Map();
    for (const [keyId, at] of batch) {
      await record(keyId, at.toISOString()).catch(report);
    }
  }
  /** Other nodes record too: the newest use stands, whoever writes last. */
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
      await write();
    },
  };
}
