/** Stores of a test's own on servers that others use too: a namespace of the log, and a database. */
import { randomUUID } from 'node:crypto';

export type StoreUrls = { EVENTS_URL: string; VIEWS_URL: string };

type Servers = { events: string; views: string };

/** Nothing is in them yet. `servers` are those of the run, unless the test has started its own. */
export function emptyStores(servers: Servers = ofTheRun()): StoreUrls {
  const name = `t${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  return { EVENTS_URL: withNamespace(servers.events, name), VIEWS_URL: withDatabase(servers.views, name) };
}

export function withNamespace(url: string, namespace: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}namespace=${namespace}`;
}

/** `mongodb://host,host/database?options` */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^([a-z+]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
}

function ofTheRun(): Servers {
  const [events, views] = [process.env['TEST_EVENTS_URL'], process.env['TEST_VIEWS_URL']];
  if (!events || !views)
    throw new Error('TEST_EVENTS_URL and TEST_VIEWS_URL are set by the setup of the run');
  return { events, views };
}
