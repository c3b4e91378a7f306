/** The references of requests: the clients of the vendors, used for this work alone. */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { MongoClient } from 'mongodb';
import { answerRequests } from '../processes/child.js';
import { resultBody } from '../test-data/test-results.js';

export type Bare = { url: string; connections: number; amount: number };
export type BareRequest = { append: Bare } | { find: Bare };

const DOCUMENTS = 10_000;

let events: EventStoreDBClient | null = null;
let documents: Awaited<ReturnType<typeof filled>> | null = null;

answerRequests<BareRequest, number>(async (request) => {
  if ('append' in request) {
    const { append } = request;
    const client = (events ??= EventStoreDBClient.connectionString(append.url));
    return perSecond(append, async (n) => {
      const event = jsonEvent({ id: randomUUID(), type: 'Bare', data: resultBody(n, 'project', 'run') });
      await client.appendToStream(`bare-${event.id}`, [event], { expectedRevision: NO_STREAM });
    });
  }
  const { find } = request;
  const collection = (documents ??= await filled(find.url));
  return perSecond(find, async (n) => {
    const found = await collection.findOne({ _id: n % DOCUMENTS });
    if (found === null) throw new Error(`no document ${n}`);
    JSON.stringify(found);
  });
});

/** Returns calls a second, with this many at a time. */
async function perSecond({ connections, amount }: Bare, call: (n: number) => Promise<void>): Promise<number> {
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < amount) await call(next++);
    }),
  );
  return amount / ((performance.now() - began) / 1_000);
}

async function filled(url: string) {
  const client = new MongoClient(url, {
    readConcern: { level: 'majority' },
    writeConcern: { w: 'majority' },
  });
  const collection = client.db(`bare${randomUUID().slice(0, 8)}`).collection<{ _id: number }>('results');
  await collection.insertMany(
    Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: n, ...resultBody(n, 'project', 'run') })),
  );
  return collection;
}
