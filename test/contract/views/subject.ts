/** The subject of the suite. */
import type { ViewReader, ViewWriter } from '../../../src/ports/views.js';

/** The store of the current test, with a reader that was opened before any writer. */
export type ViewsUnderTest = {
  readonly reader: ViewReader;
  readonly writer: ViewWriter;
  /** Closes both and opens them again on the same store. */
  reopen(): Promise<void>;
};
