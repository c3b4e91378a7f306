import type { JsonObject } from '../json/values.js';

/** Takes a report that has an object of JSON in each line. */
export type LinesImporter = {
  object(found: JsonObject): void;
  /** A line that is no JSON: what another program printed into the same file. Without this, it makes the report malformed. */
  text?(line: string): void;
  /** What the report lacks at its end, as a sentence. Null where it is whole. */
  missing(): string | null;
  /** Hands on what waited for the end. */
  end(): void;
};
