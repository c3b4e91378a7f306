import type { ImportOptions } from './entry.js';
import type { ImportErrorCode } from './import-error.js';
import type { Sink } from './sink.js';

/** What an importer of a format gets. It puts results into the sink while the report is read. */
export type ImporterContext = {
  sink: Sink;
  options: ImportOptions;
  /** The line of the report that is being read. */
  line: () => number;
  /** Ends the import with an error at this place. */
  refuse: (code: ImportErrorCode, detail: string) => never;
};
