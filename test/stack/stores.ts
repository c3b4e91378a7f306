/** Stores of a test's own on servers that others use too: a namespace of the log, and a database. */
import { randomUUID } from 'node:crypto';

export type StoreUrls = { EVENTS_URL: string; VIEWS_URL: string };

type Servers = { events: string; views: string };

/** Nothing is in them yet. `servers` are those of the run, unless the test has started its own. */
export function emptyStores(servers: Servers = bothOfTheRun()): StoreUrls {
  return emptyStoresOf(servers) as StoreUrls;
}

/** The same on whichever servers there are: none, one or both. */
export function emptyStoresOf({ events, views }: Partial<Servers>): Partial<StoreUrls> {
  const name = newName();
  return {
    ...(events && { EVENTS_URL: withNamespace(events, name) }),
    ...(views && { VIEWS_URL: withDatabase(views, name) }),
  };
}

function newName(): string {
  return `t${randomUUID().replaceAll('-', '').slice(0, 12)}`;
}

export function withNamespace(url: string, namespace: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}namespace=${namespace}`;
}

/** `mongodb://host,host/database?options` */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^([a-z+]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
}

/** Not before the tests run: the setup of the run sets them. */
export function serversOfTheRun(): Partial<Servers> {
  const [events, views] = [process.env['TEST_EVENTS_URL'], process.env['TEST_VIEWS_URL']];
  return { ...(events && { events }), ...(views && { views }) };
}

function bothOfTheRun(): Servers {
  const { events, views } = serversOfTheRun();
  if (!events || !views)
    throw new Error('TEST_EVENTS_URL and TEST_VIEWS_URL are set by the setup of the run');
  return { events, views };
}
