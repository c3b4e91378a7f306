/** The port of contents, apart from the events that name them. `test/contract/contents/contract.ts` tests its promises. */
import type { Content, KeptBy } from '../domain/event.js';
import type { Gone } from '../domain/contents.js';

/** Why the contents of a result were forgotten before their time. */
export type Mark = Exclude<Gone, 'expired'>;

/**
 * The contents of results, each stored once under its hash, however many results have it. A holder is a run, a submission, or a
 * result without a run: a content stays as long as one holds it. A log that keeps the contents of its appends itself
 * (`EventLog.keepsContents`) stores them in the transaction of the append.
 *
 * Every call that was answered survives any crash, and every read sees it.
 * @throws AppError `log_unavailable` or `state_unavailable`, by where they are
 */
export type Contents = {
  /** The texts of those that are there, by their hashes. */
  read(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Stores those that are not there yet. The holder holds all of them. */
  keep(by: KeptBy, contents: readonly Content[]): Promise<void>;
  /** Those holders after one, by name, with the hashes that each holds. */
  held(after: string, limit: number): Promise<Held[]>;
  /**
   * Puts all that a holder holds in question, until it is kept again. Whoever releases reads afterwards what is named still: a
   * content that somebody keeps meanwhile is then not released.
   */
  question(holder: string): Promise<Question>;
  /**
   * The holder holds these no more; without hashes, none. With a question, only those that nobody has kept since. Removes those
   * that nobody holds any more.
   */
  release(holder: string, hashes?: readonly string[], question?: string): Promise<Released>;
  /** Marks results. The first mark of a result stays, unless the result is deleted. */
  mark(ids: readonly string[], reason: Mark): Promise<void>;
  /** The marks of those among these results that have one. */
  marked(ids: readonly string[]): Promise<ReadonlyMap<string, Mark>>;
  /** The bytes that projects take, as they are stored. A content counts once, for the project that has brought it. */
  bytesOf(projects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The marks of results after one, by id. */
  marks(after: string, limit: number): Promise<Marked[]>;
  close(): Promise<void>;
};

/** `id`: for `release`. */
export type Question = { id: string; hashes: string[] };
/** `bytes`: of their texts, as they are stored. */
export type Released = { contents: number; bytes: number };
export type Held = KeptBy & { hashes: string[] };
export type Marked = { id: string; reason: Mark };
