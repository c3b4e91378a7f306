import {
  binaryEvent,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  START as FROM_START,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import { parseEsdbUrl } from '../../../src/adapters/eventstoredb/url.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { START, streamName } from '../../../src/domain/event.js';
import {
  following,
  ids,
  mistake,
  newEvents,
  newTeam,
  readToEnd,
  refusal,
  until,
} from '../../contract/event-log/events.js';
import { inNewNamespace, sharedServer } from './test-url.js';

describe('the event log: EventStoreDB, on a server that it shares', function () {
  let url: string;
  let before: string;
  let log: EventLog;
  let others: EventStoreDBClient;
  beforeEach(async () => {
    url = inNewNamespace(sharedServer());
    before = `${parseEsdbUrl(url).namespace}~`;
    log = await openEsdbLog({ url });
    others = EventStoreDBClient.connectionString(sharedServer());
  });
  afterEach(async () => {
    await log.close();
    await others.dispose();
  });

  /** Writes as other programs may make them on a server, partly in streams with names like ours. */
  async function makeNoise(team: string): Promise<void> {
    const names = [
      'orders-1',
      `run-${team}.foreign`,
      `${before}run-${team}.foreign`,
      `${before}orders-1`,
      before,
    ];
    for (const name of names) {
      await others.appendToStream(name, [
        jsonEvent({ type: 'Ordered', data: { number: 1 } }),
        jsonEvent({ type: 'Ordered', data: { number: 2 }, metadata: { version: 1 } }),
        jsonEvent({ type: 'Ordered', data: { number: 3 }, metadata: { version: 'x', meta: null } }),
        binaryEvent({ type: 'Bytes', data: Uint8Array.of(0, 255, 1), metadata: Uint8Array.of(255, 0) }),
        binaryEvent({
          type: 'Bytes',
          data: Buffer.from('{}'),
          metadata: Buffer.from('{"version":1,"meta":{}}'),
        }),
      ]);
      await others.setStreamMetadata(name, { maxCount: 3 });
    }
    await others.appendToStream(`${team}-deleted`, [jsonEvent({ type: 'Ordered', data: {} })]);
    await others.deleteStream(`${team}-deleted`);
    const gone = `gone-${randomUUID()}`;
    await others.appendToStream(gone, [jsonEvent({ type: 'Ordered', data: {} })]);
    await others.tombstoneStream(gone);
  }

  it('gives its own events only, in every read', async () => {
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    const live = following(log, { after: START });
    const own: string[] = [];
    let position = START;
    for (let round = 0; round < 3; round += 1) {
      await makeNoise(team);
      const events = newEvents(4);
      ({ position } = await log.append(stream, round === 0 ? 'none' : 4 * round - 1, events));
      own.push(...ids(events));
      await makeNoise(team);
      expect(await log.head()).to.equal(position);
      expect(await log.head(team)).to.equal(position);
    }
    await until('all events', () => live.events().length >= 12 && live.caughtUp());
    await live.stop();
    expect(ids(live.events())).to.deep.equal(own);
    expect(live.position()).to.equal(position);

    const again = await openEsdbLog({ url });
    for (const filter of [
      {},
      { streams: ['run-'] },
      { streams: [`run-${team}.`] },
      { types: ['ResultCreated'] },
    ]) {
      for (const limit of [1, 5, 100]) {
        const { events, pages } = await readToEnd(again, { after: START, filter, limit });
        expect(ids(events)).to.deep.equal(own);
        expect(pages.at(-1)?.position).to.equal(position);
      }
    }
    expect((await again.readStream(streamName('run', team, 'foreign'))).events).to.deep.equal([]);
    expect(await again.head()).to.equal(position);
    expect(await again.head(team)).to.equal(position);
    await again.close();
  });

  it('never says that it has read further than its own newest event', async () => {
    const team = newTeam();
    const { position } = await log.append(streamName('run', team, 'x'), 'none', newEvents(1));
    // More than the server reads between two checkpoints.
    const noise = Array.from({ length: 2_500 }, () => jsonEvent({ type: 'Ordered', data: {} }));
    await others.appendToStream(`orders-${team}`, noise, { expectedRevision: NO_STREAM });
    for (const each of [log, await openEsdbLog({ url })]) {
      const follower = following(each, { after: START, filter: { streams: ['project-'] } });
      await until('catching up', () => follower.caughtUp());
      await follower.stop();
      expect(follower.position()).to.equal(position);
      expect(
        (await readToEnd(each, { after: START, filter: { streams: [] } })).pages.at(-1)?.position,
      ).to.equal(position);
      if (each !== log) await each.close();
    }
  });

  it('keeps installations apart: those with a namespace, and the one without', async () => {
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    const second = await openEsdbLog({ url: inNewNamespace(sharedServer()) });
    const without = await openEsdbLog({ url: sharedServer() });
    const after = await without.head();
    const [a, b, c] = [newEvents(2), newEvents(3), newEvents(4)];
    await log.append(stream, 'none', a);
    await second.append(stream, 'none', b);
    await without.append(stream, 'none', c);
    for (const [each, events] of [
      [log, a],
      [second, b],
      [without, c],
    ] as const) {
      expect(ids((await each.readStream(stream)).events)).to.deep.equal(ids(events));
      const all = await readToEnd(each, { after: each === without ? after : START });
      expect(ids(all.events)).to.deep.equal(ids(events));
      expect(await each.head(team)).to.equal(all.events.at(-1)?.position);
    }
    await second.close();
    await without.close();
  });

  it('finds the start of an empty namespace on a full server, and its events there', async () => {
    const team = newTeam();
    for (let at = 0; at < 12; at += 1) {
      const noise = Array.from({ length: 1_000 }, () => jsonEvent({ type: 'Ordered', data: { at } }));
      await others.appendToStream(`orders-${team}`, noise);
    }
    const empty = await openEsdbLog({ url });
    expect(await empty.head()).to.equal(START);
    expect(await empty.head(team)).to.equal(START);
    expect(await empty.readAll({ after: START })).to.deep.equal({
      events: [],
      position: START,
      caughtUp: true,
    });
    const { position } = await empty.append(streamName('run', team, 'x'), 'none', newEvents(1));
    expect(await empty.head(team)).to.equal(position);
    await empty.close();
  });

  it('refuses positions in the middle of the log that are not those of an event', async () => {
    const team = newTeam();
    const first = await log.append(streamName('run', team, 'x'), 'none', newEvents(3));
    await log.append(streamName('run', team, 'y'), 'none', newEvents(3));
    const again = await openEsdbLog({ url });
    await again.append(streamName('run', team, 'z'), 'none', newEvents(1));
    const between = String(BigInt(first.position) + 1n).padStart(20, '0');
    await refusal(again.readAll({ after: between }), 'not_a_position');
    const signal = new AbortController().signal;
    const following = again.follow({ after: between, signal })[Symbol.asyncIterator]();
    await refusal(following.next(), 'not_a_position');
    expect((await again.readStream(streamName('run', team, 'x'))).events).to.have.length(3);
    await again.close();
  });

  it('refuses a request that is too large as such, and goes on', async () => {
    const stream = streamName('run', newTeam(), 'x');
    const [event] = newEvents(1);
    for (const size of [1_100_000, 20_000_000]) {
      const large = { ...event!, data: { text: 'x'.repeat(size) } };
      await refusal(log.append(stream, 'none', [large]), 'payload_too_large');
    }
    expect((await log.append(stream, 'none', newEvents(1))).revision).to.equal(0);
  });

  it('leaves its events readable to other programs, as JSON', async () => {
    const stream = streamName('run', newTeam(), 'x');
    const [event] = newEvents(1);
    await log.append(stream, 'none', [event!]);
    for await (const { event: stored } of others.readStream(before + stream, { fromRevision: FROM_START })) {
      expect(stored).to.include({ isJson: true, type: event!.type, id: event!.id });
      expect(stored?.data).to.deep.equal(event!.data);
      expect(stored?.metadata).to.deep.equal({ version: event!.version, meta: event!.meta });
    }
  });

  it('uses one server per process', async () => {
    const error = await mistake(() => openEsdbLog({ url: 'esdb://127.0.0.1:1?tls=false' }));
    expect(error.message).to.include('one process talks to one EventStoreDB');
  });
});
