/**
 * `testledger/cypress/support`, for the support file: it tells the plugin why each attempt failed, and which pictures it
 * took. Cypress tells its plugins that of the last attempt only. It does nothing without the plugin.
 */
import { TASK, type ToldAttempt } from './types.js';

/** What Cypress has in the browser. */
declare const Cypress: { env(name: string): unknown; currentTest: { titlePath: string[] } };
declare const cy: { task(name: string, told: ToldAttempt, options: { log: false }): void };
declare const afterEach: (hook: (this: { currentTest?: Attempt }) => void) => void;
type Attempt = { err?: Partial<Error>; wallClockStartedAt?: unknown; duration?: unknown };

/** A task takes text of any length; the plugin needs no more. */
const CHARACTERS = 64_000;

afterEach(function told() {
  if (Cypress.env(TASK) !== true || this.currentTest === undefined) return;
  const { err, wallClockStartedAt, duration } = this.currentTest;
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, CHARACTERS) : '');
  const error = err ? { name: text(err.name), message: text(err.message), stack: text(err.stack) } : null;
  const started = wallClockStartedAt === undefined ? null : new Date(wallClockStartedAt as string);
  const started_at = started === null || Number.isNaN(started.getTime()) ? null : started.toISOString();
  const duration_ms = typeof duration === 'number' ? duration : null;
  cy.task(TASK, { title: Cypress.currentTest.titlePath, started_at, duration_ms, error }, { log: false });
});
