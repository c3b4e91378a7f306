/** Stores for one test on shared servers: a namespace of the log, a database, a prefix of a bucket. */
import { randomUUID } from 'node:crypto';

/** Without an S3 server, blobs are in the server's folder. */
export type StoreUrls = { EVENTS_URL: string; VIEWS_URL: string; BLOBS_URL?: string };

type Servers = { events: string; views: string; blobs?: string };

/** The URLs of empty stores on the servers of the run, or on servers that the test has started. */
export function emptyStores(servers: Servers = bothOfTheRun()): StoreUrls {
  return emptyStoresOf(servers) as StoreUrls;
}

/** The same where any of the servers may be missing. */
export function emptyStoresOf({ events, views, blobs }: Partial<Servers>): Partial<StoreUrls> {
  const name = newName();
  return {
    ...(events && { EVENTS_URL: withNamespace(events, name) }),
    ...(views && { VIEWS_URL: withDatabase(views, name) }),
    ...(blobs && { BLOBS_URL: withPrefix(blobs, name) }),
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

/** `s3://bucket/prefix?options` */
export function withPrefix(url: string, prefix: string): string {
  return url.replace(/^(s3:\/\/[^/?]+)(\/[^?]*)?/, `$1$2/${prefix}`);
}

/** Call it when tests run: the setup of the run sets the variables before. */
export function serversOfTheRun(): Partial<Servers> {
  const { TEST_EVENTS_URL: events, TEST_VIEWS_URL: views, TEST_BLOBS_URL: blobs } = process.env;
  return { ...(events && { events }), ...(views && { views }), ...(blobs && { blobs }) };
}

function bothOfTheRun(): Servers {
  const { events, views, blobs } = serversOfTheRun();
  if (!events || !views)
    throw new Error('TEST_EVENTS_URL and TEST_VIEWS_URL are set by the setup of the run');
  return { events, views, ...(blobs && { blobs }) };
}
