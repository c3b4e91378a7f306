import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, positionFile, type Client, type FeedEvent } from '../../src/client/index.js';
import { allEvents } from '../http/events.js';
import { givenProject, givenTeam } from '../http/given.js';
import { testLoopback } from '../kit/loopback.js';
import { testServer } from '../kit/server.js';
import { eventually } from '../stores.js';

describe('a consumer of events', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  let client: Client;
  let folder: string;
  beforeEach(async () => {
    client = clientOf(server.url);
    folder = await mkdtemp(join(tmpdir(), 'testledger-consumer-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const clientOf = (url: string) => createClient({ url, apiKey: team.owner.key! });
  const positionsOf = (events: readonly FeedEvent[]) => events.map(({ position }) => position);
  const logged = async () => (await allEvents(team.owner)).map(({ position }) => position);
  async function givenEvents(count: number): Promise<void> {
    const project_id = await givenProject(team.owner);
    const results = Array.from({ length: count }, (_, n) => ({
      name: `test ${n}`,
      status: 'passed' as const,
    }));
    await client.submitRun({ project_id, results });
  }

  for (const follow of [true, false]) {
    it(`gets each event once and in order, ${follow ? 'and then new ones' : 'up to the present'}`, async () => {
      await givenEvents(300);
      const taken: FeedEvent[] = [];
      const ending = new AbortController();
      const consuming = client.consumeEvents({
        follow,
        signal: ending.signal,
        onEvent: (event) => void taken.push(event),
      });
      if (follow) {
        const before = await logged();
        await eventually('the events of before', () => taken.length >= before.length);
        await givenEvents(1);
        const all = await logged();
        await eventually('the new events', () => taken.length >= all.length);
        ending.abort();
      }
      const { position, count } = await consuming;
      expect(positionsOf(taken)).to.deep.equal(await logged());
      expect({ position, count }).to.deep.equal({ position: taken.at(-1)!.position, count: taken.length });
    });
  }

  it('goes on after its position, by types and by project', async () => {
    await givenEvents(3);
    const project = await givenProject(team.owner);
    const taken: FeedEvent[] = [];
    const store = positionFile(join(folder, 'position'));
    const consume = () =>
      client.consumeEvents({
        store,
        follow: false,
        types: ['ProjectCreated'],
        projectId: project,
        onEvent: (event) => void taken.push(event),
      });
    expect((await consume()).count).to.equal(1);
    expect((await consume()).count).to.equal(0);
    expect(taken[0]!.data['project_id']).to.equal(project);
    expect(await store.load()).to.equal(taken[0]!.position);
  });

  it('ends with the fault of its function, and begins with that event next time', async () => {
    await givenEvents(5);
    const store = positionFile(join(folder, 'position'));
    const taken: string[] = [];
    const fault = new TypeError('fetch failed');
    const consume = (failAt: number) =>
      client.consumeEvents({
        store,
        follow: false,
        onEvent({ position }) {
          if (taken.length === failAt) throw fault;
          taken.push(position);
        },
      });
    expect(await consume(3).catch((error: unknown) => error)).to.equal(fault);
    expect(await store.load()).to.equal(taken[2]);
    await consume(-1);
    expect(taken).to.deep.equal(await logged());
  });

  it('is refused for a key that is not valid', async () => {
    const other = createClient({ url: server.url, apiKey: 'tl_no_key' });
    const error = await other.consumeEvents({ onEvent: () => {} }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'unauthorized', status: 401 });
  });

  describe('of a server that breaks off', () => {
    let answer: (after: string, response: ServerResponse) => void;
    const hostile = testLoopback((request, response) => {
      answer(new URL(request.url!, 'http://x').searchParams.get('after') ?? '', response);
    });
    const eventAt = (position: string) => JSON.stringify({ position, type: 'ProjectCreated', data: {} });

    it('gets each event once and in order, whatever each connection sends', async () => {
      const positions = ['1', '2', '3', '4', '5', '6'];
      const sse = (position: string) =>
        `id: ${position}\nevent: ProjectCreated\ndata: ${eventAt(position)}\n\n`;
      let connections = 0;
      answer = (after, response) => {
        connections += 1;
        if (connections === 2) return void response.socket!.destroy();
        if (connections === 4) return void response.writeHead(503, { 'Retry-After': '0' }).end('{}');
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        if (connections === 5) return void response.write('data: not JSON\n\n');
        // Each connection repeats the last event, brings two more, and ends in the middle of a third one.
        const next = positions.indexOf(after) + 1;
        const sent = positions.slice(Math.max(next - 1, 0), next + 2).map(sse);
        const broken = sse(positions[next + 2] ?? '7').slice(0, 40);
        response.write(`retry: 2000\n\n${sent.join('')}${broken}`, () => response.socket!.destroy());
      };
      const taken: string[] = [];
      const lost: string[] = [];
      const ending = new AbortController();
      await clientOf(hostile.url).consumeEvents({
        signal: ending.signal,
        onDisconnect: ({ code }) => lost.push(code),
        onEvent({ position }) {
          taken.push(position);
          if (position === '6') ending.abort();
        },
      });
      expect(taken).to.deep.equal(positions);
      expect(lost).to.include('unreachable').and.to.include('bad_answer');
    });

    it('connects again at once where connections hold for a while and bring nothing', async () => {
      const [openedAt, closedAt]: [number[], number[]] = [[], []];
      answer = (_, response) => {
        openedAt.push(performance.now());
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
        setTimeout(() => {
          closedAt.push(performance.now());
          response.end();
        }, 1_200);
      };
      const ending = new AbortController();
      const consuming = clientOf(hostile.url).consumeEvents({ signal: ending.signal, onEvent: () => {} });
      await eventually('the fourth connection', () => openedAt.length === 4);
      ending.abort();
      await consuming;
      // The pauses after failures are half a second at the least, and grow.
      const pauses = openedAt.slice(1).map((at, n) => at - closedAt[n]!);
      expect(Math.min(...pauses)).to.be.lessThan(400);
      expect(pauses.reduce((sum, pause) => sum + pause)).to.be.lessThan(2_000);
    });

    it('saves the position of a large read also where nothing follows it', async () => {
      const text = Array.from(
        { length: 500 },
        (_, n) => `data: ${eventAt(String(n).padStart(20, '0'))}\n\n`,
      ).join('');
      answer = (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(text);
      };
      let saved: string | null = null;
      const ending = new AbortController();
      const consuming = clientOf(hostile.url).consumeEvents({
        store: { load: async () => null, save: async (position) => void (saved = position) },
        signal: ending.signal,
        onEvent: () => {},
      });
      try {
        await eventually('the last position is saved', () => saved === '499'.padStart(20, '0'));
      } finally {
        ending.abort();
        await consuming;
      }
    });

    it('gives up after the time that was set, which each read begins anew', async () => {
      let connections = 0;
      answer = (_, response) => {
        connections += 1;
        if (connections !== 2) return void response.writeHead(503).end('{}');
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('retry: 2000\n\n');
      };
      const error = await clientOf(hostile.url)
        .consumeEvents({ giveUpAfterMs: 1, onEvent: () => {} })
        .catch((reason: unknown) => reason);
      expect(error).to.include({ status: 503 });
      expect(connections).to.equal(3);
    });
  });
});
