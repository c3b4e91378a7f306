/** What the API document says of a route beyond the route itself. A test holds every answer of the HTTP suite against it. */
import type { ErrorCode } from '../../errors.js';
import type { components } from '../../client/api.generated.js';

export type Operation = {
  /** Clients are generated from it, so it stays as it is. */
  id: string;
  /** One line, without a full stop. */
  summary: string;
  /** The answers of success by their status. */
  answers: Readonly<Record<number, Answer>>;
  /** The errors of this route besides those that follow from its method, its path and its role (`errors.ts`). */
  errors?: readonly ErrorCode[];
};

type Name = keyof components['schemas'];

export type Answer =
  /** No body. */
  | null
  /** The record itself. */
  | Name
  /** `{ data }`, with one record. */
  | { data: Name }
  /** `{ data: [] }`. */
  | { list: Name }
  /** `{ data: [], pagination }`. */
  | { page: Name }
  /** `{ items: [] }`. */
  | { items: Name }
  /** `{ items: [], page_token }`. */
  | { itemsByToken: Name }
  /** A page of records, or a stream of them in one of these media types. */
  | { pageOrStream: Name; of: Name; streams: readonly string[] }
  /** A document that no schema of ours describes. */
  | { media: readonly string[]; json?: boolean };
