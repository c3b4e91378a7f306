/** The number that `views.child.ts` keeps, and that its tests check. */

/** How many numbered documents there are at any time, besides the pair. */
export const KEPT = 30;

export type ChildMessage =
  { committed: number } | { unavailable: { code: string; detail: string; retryAfter: number | undefined } };
