/** The server that the tests share, and a new namespace on it. */
import { randomBytes } from 'node:crypto';
import { withNamespace } from '../../kit/store-urls.js';

/** The URL of the shared server. @throws Error where none is configured: these tests are never skipped. */
export function sharedServer(): string {
  const url = process.env['TEST_EVENTS_URL'];
  if (url === undefined) throw new Error('TEST_EVENTS_URL must name the EventStoreDB for these tests');
  return url;
}

/** The same server, in a namespace that nothing else uses. */
export function inNewNamespace(url: string): string {
  return withNamespace(url, `t.${randomBytes(6).toString('hex')}`);
}
