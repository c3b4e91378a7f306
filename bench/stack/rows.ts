/**
 * The rows on EventStoreDB and MongoDB, each beside a bare client of the same servers. `TEST_EVENTS_URL` and
 * `TEST_VIEWS_URL` name the servers. Without them, the bench starts a real mongod and a stand-in of EventStoreDB, whose
 * figures say nothing about the real one.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startStandIn } from '../../test/stack/esdb.js';
import { startMongod } from '../../test/stack/mongod.js';
import { emptyStores } from '../../test/kit/store-urls.js';
import { startChild } from '../processes/child.js';
import { startLoad } from '../load/load.js';
import { CONNECTIONS, lasting, postRate, readRate, writeRate, type Rate } from '../load/rates.js';
import { startServer } from '../processes/server.js';
import type { BareRequest } from './bare.child.js';
import type { DeliveriesRequest, DeliveryRates } from './deliveries.child.js';
import type { ProjectionRates, ProjectRequest } from './project.child.js';
import type { SeedRequest, SeedAnswer } from './seed.child.js';
import { compare, type Row } from '../table/table.js';
import { inTurns, undisturbed } from '../table/turns.js';

type Options = {
  data: string;
  quick: boolean;
  turns: number;
  seconds: number;
  progress: (what: string) => void;
};

export async function stackRows({ data, quick, turns, seconds, progress }: Options): Promise<Row[]> {
  progress('starting the servers');
  const given = { events: process.env['TEST_EVENTS_URL'], views: process.env['TEST_VIEWS_URL'] };
  const [standIn, mongod] = [
    given.events ? null : await startStandIn(),
    given.views ? null : await startMongod(),
  ];
  const servers = { events: given.events || standIn!.url, views: given.views || mongod!.url };
  const log = standIn === null ? 'bare client' : 'bare client; a STAND-IN of EventStoreDB';
  try {
    const [stores, rebuilt] = [emptyStores(servers), emptyStores(servers)];
    const folder = join(data, 'stack');
    mkdirSync(folder, { recursive: true });
    progress('storing 10,000 results');
    const seeder = startChild<SeedRequest, SeedAnswer>('stack/seed.child.js');
    const history = await seeder.ask({ url: stores.EVENTS_URL, results: 10_000, steps: 1 });
    const both = await startServer({ ...history, folder, stores });
    const load = startLoad();
    const bare = startChild<BareRequest, number>('stack/bare.child.js');
    const beside = async (figure: string, ours: Rate, theirs: Rate, note: string): Promise<Row> => {
      const measures = [];
      for (const rate of [theirs, ours]) measures.push(await undisturbed(() => lasting(rate, seconds)));
      const [reference = [], measured = []] = await inTurns(turns, measures);
      return compare({ figure, unit: '/s', measured, reference, atLeast: null, note });
    };

    progress('reads');
    const finds: Rate = (amount) =>
      bare.ask({ find: { url: servers.views, connections: CONNECTIONS, amount } });
    const reads = await beside(
      'GET /result/{id} on the stack',
      readRate(load, both),
      finds,
      'reference: findOne by id of a bare client',
    );
    progress('writes, projected');
    const appends: Rate = (amount) =>
      bare.ask({ append: { url: servers.events, connections: CONNECTIONS, amount } });
    const note = `reference: single appends of a ${log}`;
    const projected = await beside(
      'POST /result/ on the stack, projected',
      writeRate(load, both),
      appends,
      note,
    );
    await both.stop();
    progress('writes, by an API process alone');
    const alone = await startServer({ ...history, folder, stores: { ...stores, ROLES: 'api' } });
    const writes = await beside('POST /result/ on the stack', postRate(load, alone), appends, note);
    await Promise.all([load.stop(), bare.stop(), alone.stop()]);

    progress('projection');
    await seeder.ask({ url: rebuilt.EVENTS_URL, results: quick ? 10_000 : 40_000, steps: 3 });
    await seeder.stop();
    const projecting = startChild<ProjectRequest, ProjectionRates>('stack/project.child.js');
    const { adapters, loop } = await projecting.ask({ stores: rebuilt, times: turns });
    await projecting.stop();
    const projection = compare({
      figure: 'projection on the stack',
      unit: '/s',
      measured: adapters,
      reference: loop,
      atLeast: 0.5,
      note: `events; the same events read and the same documents replaced by a ${log}`,
    });
    progress('deliveries');
    return [writes, projected, reads, projection, await deliveriesRow(servers, turns)];
  } finally {
    await standIn?.stop();
    await mongod?.stop();
  }
}

/** Ten webhooks whose endpoints answer at once. */
async function deliveriesRow(servers: { events: string; views: string }, turns: number): Promise<Row> {
  const child = startChild<DeliveriesRequest, DeliveryRates>('stack/deliveries.child.js');
  const rates: DeliveryRates[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    rates.push(await child.ask({ url: emptyStores(servers).VIEWS_URL, webhooks: 10, each: 1_000 }));
  }
  await child.stop();
  return compare({
    figure: 'deliveries on the stack',
    unit: '/s',
    measured: rates.map(({ ours }) => ours),
    reference: rates.map(({ bare }) => bare),
    atLeast: null,
    note: 'sent and recorded, to endpoints that answer at once; reference: one update each, 64 at once, of a bare client',
  });
}
