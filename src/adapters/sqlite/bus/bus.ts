/** The embedded bus: a SQLite file in which messages lie until they are acknowledged. */
import { realpathSync } from 'node:fs';
import type { Bus, BusBatch } from '../../../ports/bus.js';
import { LedgerError } from '../../../errors.js';
import { openBusFile, type BusFile, type Numbered } from './bus-file.js';
import { openThreadNotifier, type ThreadNotifier } from '../thread-notifier.js';

/** Another process may have put something: only threads of this one are told. */
const LOOKS_EVERY_MS = 500;

/** Opens the bus of a folder. @throws LedgerError `bus_unavailable` where its file cannot be used. */
export async function openLocalBus({ folder }: { folder: string }): Promise<Bus> {
  const file = openBusFile(folder);
  const published = openThreadNotifier(`testledger-bus:${realpathSync(folder)}`);
  const closing = new AbortController();
  const open = (): BusFile => {
    if (!closing.signal.aborted) return file;
    throw new LedgerError('bus_unavailable', 'the bus is closed');
  };
  return {
    publish: async (messages) => {
      if (messages.length === 0) return;
      open().put(messages);
      published.notify();
    },
    last: async () => open().last(),
    consume: ({ limit, signal }) =>
      consume(open, published, { limit, signal: AbortSignal.any([signal, closing.signal]) }),
    close: async () => {
      if (closing.signal.aborted) return;
      closing.abort();
      published.close();
      file.close();
    },
  };
}

/** What is not acknowledged lies first in the file, so that the next look finds it again, before all that is later. */
async function* consume(
  open: () => BusFile,
  published: ThreadNotifier,
  { limit, signal }: { limit: number; signal: AbortSignal },
): AsyncGenerator<BusBatch, void> {
  while (!signal.aborted) {
    // Counted before the look, so that what is put right after it is not slept through.
    const seen = published.count();
    const found = open().first(limit);
    if (found.length === 0) {
      await published.wait(seen, LOOKS_EVERY_MS, signal);
      continue;
    }
    yield batchOf(open, found);
  }
}

function batchOf(open: () => BusFile, found: readonly Numbered[]): BusBatch {
  return {
    messages: found.map(({ message }) => message),
    ack: async () => open().remove(found.map(({ number }) => number)),
  };
}
