/** The parts of Cypress' plugin API that are used, as 13 and newer have it. Cypress is no dependency of this package. */

export type Spec = { relative: string; absolute: string };
export type Picture = { name: string | null; path: string };
export type TestResult = {
  title: string[];
  state: string;
  displayError: string | null;
  /** Of all attempts together. */
  duration: number;
  attempts: { state: string }[];
};
export type SpecResults = {
  /** Why the file did not run. */
  error: string | null;
  /** Null where it did not. */
  tests: TestResult[] | null;
  screenshots: Picture[];
  video: string | null;
};
export type RunDetails = { browser?: { name: string }; specs?: Spec[] };

/** `setupNodeEvents(on, config)`. */
export type On = {
  (action: 'before:run', handler: (details: RunDetails) => void): unknown;
  (action: 'after:spec', handler: (spec: Spec, results: SpecResults) => void): unknown;
  (action: 'after:screenshot', handler: (details: { path: string; name?: string }) => void): unknown;
  (action: 'after:run', handler: () => Promise<void>): unknown;
  (action: 'task', tasks: { [TASK]: (told: ToldAttempt) => null }): unknown;
};
export type Config = { env: Record<string, unknown> };

/** The task, and the entry of `env` that says that there is one. */
export const TASK = 'testledger:attempt';

/** What the support file tells of each attempt when it ends. */
export type ToldAttempt = {
  title: string[];
  started_at: string | null;
  duration_ms: number | null;
  error: { name: string; message: string; stack: string } | null;
};
