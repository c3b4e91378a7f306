/** What the parts of the suite are given. */
import type { ViewReader, ViewWriter } from '../../src/ports/views.js';

/** The store of the test that runs, with a reader that was opened before any writer was. */
export type ViewsUnderTest = {
  readonly reader: ViewReader;
  readonly writer: ViewWriter;
  /** Closes both and opens them again on the same store. */
  reopen(): Promise<void>;
};
