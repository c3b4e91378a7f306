import type { JsonPath } from './reader.js';

/** Takes the values at the paths that it names, in the order of the document. */
export type JsonImporter = {
  value(path: JsonPath, value: unknown): void;
  end(): void;
};
