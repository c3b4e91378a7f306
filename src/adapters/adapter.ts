/**
 * The exports of an adapter's folder for the registry. A module that exports an adapter imports no vendor's client:
 * every process loads all of these modules, and a small server needs no client at all. `open…` imports the client.
 */
import type { BlobFiles } from '../artifacts/blob-files.js';
import type { Clock } from '../clock.js';
import type { Blobs } from '../ports/blobs.js';
import type { Broadcast, BroadcastOptions } from '../ports/broadcast.js';
import type { Contents } from '../ports/contents.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { EventLog } from '../ports/event-log.js';
import type { LogTarget } from '../ports/log-target.js';
import type { Relay, RelayOptions } from '../ports/relay.js';
import type { State } from '../ports/state.js';
import type { ViewReader, ViewWriter } from '../ports/views.js';
import type { BlobsCopy } from './files/copy-blobs.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';

export type Adapter<Location> = {
  /** The schemes of its URLs, without the colon. */
  schemes: readonly string[];
  /** The form of its URLs, for the message about a wrong one: `esdb://<server>`. */
  form: string;
  /** Connects to nothing. @throws Error that says what is wrong with the URL, without its password. */
  parse(url: string): Location;
};

/** The location of a store, by its URL, and the function that opens it. */
type StoreLocation = {
  /** The URL or the folder, without a password. */
  shown: string;
  /** The local folder that holds the store; null where a server holds it. One server process locks the folder. */
  folder: string | null;
};

/** Receives each function that closes a store as soon as the store is open, so that a failed start closes them too. */
export type OnStop = (close: () => Promise<void> | void) => void;

/** Receives an error that no call can return: one that happened in the background. */
export type Report = (error: unknown) => void;

/**
 * Copies a store into a folder while a server may write it: everything that was committed at one moment, checked and
 * durable. Returns the bytes of the copy. Null where a server holds the store, which has tools of its own for that.
 */
export type CopyTo = ((folder: string) => Promise<number>) | null;

/**
 * A writer may append. Its caller holds the lock of the folder, where there is one.
 * A reader is for the other threads: where the log has a single writer, it cannot append.
 */
export type LogMode = 'writer' | 'reader';

/** `forgetsAlone`: this process releases and marks contents by this opening only, so files may remember what it has read. */
export type OpenContents = { forgetsAlone?: boolean };

export type LogLocation = StoreLocation & {
  copyTo: CopyTo;
  open(options: { mode: LogMode; report?: Report | undefined }): Promise<EventLog>;
  /**
   * Opens the contents that an append stores with its events. Call it after `open`. Null for a log that stores none: those of
   * its events are beside the state.
   */
  openContents: ((options?: OpenContents) => Promise<Contents>) | null;
  /** False where it is certain that there is no log. @throws Error where this user may not look. */
  exists(): boolean;
  /** Opens the log to copy another one into it. The caller holds the lock of the folder, where there is one. */
  openTarget(): Promise<LogTarget>;
};

/** The two read models. */
export type ViewsPart = 'records' | 'history';

/** The read models, the state and the deliveries: one URL names all of them. */
export type ViewsLocation = StoreLocation & {
  /** Copies the state and the deliveries. */
  copyStateTo: CopyTo;
  /** One reader reads both parts. Otherwise each part has a reader of its own. */
  sharesReader: boolean;
  openReader(part: ViewsPart): Promise<ViewReader>;
  openWriter(part: ViewsPart): Promise<ViewWriter>;
  /** Refuses a store that a newer program has written. Files are checked when they are opened. @throws Error */
  refuseNewer?(): Promise<void>;
  openState(): Promise<State>;
  /** Call it after `openState`. */
  openContents(options?: OpenContents): Promise<Contents>;
  openDeliveries(): Promise<Deliveries>;
  /** False where it is certain that no server has ever opened the state. @throws Error where this user may not look. */
  hasState(): boolean;
};

export type BlobsLocation = StoreLocation & {
  /** Null where a server holds the files. */
  openCopy: ((to: string) => Promise<BlobsCopy>) | null;
  /** The origin of the URLs from which clients download; null where it is this server. */
  origin: string | null;
  /**
   * `files`: what the routes need that serve the files; null where clients transfer them to and from the store itself.
   * `secretKeys`: answers the keys that sign URLs. `alone`: no other process uses the folder.
   */
  open(options: {
    clock: Clock;
    secretKeys: () => Promise<SecretKeys>;
    alone: boolean;
  }): Promise<{ blobs: Blobs; files: BlobFiles | null }>;
};

export type BusLocation = {
  /** Connects once. @throws Error that says why the bus cannot be used. */
  check(): Promise<void>;
  openRelay(options: RelayOptions): Promise<Relay>;
  openBroadcast(options: BroadcastOptions): Promise<Broadcast>;
};
