import type { JsonPath } from './reader.js';

/** Takes the values at the paths that it names, in the order of the document. */
export type JsonImporter = {
  value(path: JsonPath, value: unknown): void;
  /** Whether what was read is a report, and not another document with a key of that name. */
  isReport(): boolean;
  /** Takes what a report has that is cut off inside of a value. */
  cut?(path: JsonPath, valueAt: (depth: number) => unknown): void;
  end(): void;
};
