/** The server that the tests share, and a namespace on it for each who asks. */
import { randomBytes } from 'node:crypto';
import { withNamespace } from '../../stack/stores.js';

/** The URL of the shared server. @throws Error where none was given: these tests are never passed over. */
export function sharedServer(): string {
  const url = process.env['TEST_EVENTS_URL'];
  if (url === undefined) throw new Error('TEST_EVENTS_URL names the EventStoreDB for these tests');
  return url;
}

/** The same server, in a namespace that nothing else is in. */
export function inNewNamespace(url: string): string {
  return withNamespace(url, `t.${randomBytes(6).toString('hex')}`);
}
