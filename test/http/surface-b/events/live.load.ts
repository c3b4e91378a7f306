import { expect } from 'chai';
import { eventually } from '../../../stores.js';
import { allEvents, follow, pagesOf, type Sse } from '../../events.js';
import {
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeamWithProject,
} from '../../given.js';
import { answerOf, connected } from '../../protocol/raw.js';
import { freshMetrics } from '../../monitoring/metrics-page.js';
import { ownServer } from '../../../kit/server.js';

describe('the live stream of GET /v1/events', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each suite');
  const streams: Sse[] = [];
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  const live = async (
    query: Record<string, string | number> = {},
    key = team.owner.key!,
    headers: Record<string, string> = {},
  ) => {
    const stream = await follow(server.url, key, query, headers);
    streams.push(stream);
    return stream;
  };
  const head = async () => (await pagesOf(team.owner)).at(-1)!.next;
  /** Mixed work: single results, submissions, and the work of other teams meanwhile. */
  const write = async (rounds: number) => {
    const other = await server.newTeam();
    const theirs = await givenProject(other.owner);
    for (let n = 0; n < rounds; n += 1) {
      const { test_run_id } = await givenRun(team.owner, team.project);
      await Promise.all([
        ...[1, 2, 3].map(() => givenResult(team.owner, team.project, { test_run_id })),
        givenSubmission(
          team.owner,
          team.project,
          Array.from({ length: 1 + ((n * 7) % 40) }, () => ({})),
        ),
        givenSubmission(other.owner, theirs, [{}, {}]),
      ]);
    }
  };

  it('sends each event to all followers, once and in order', async () => {
    const after = await head();
    const readers = await Promise.all(Array.from({ length: 20 }, () => live({ after })));
    const late = write(10);
    await eventually('the first has come', () => readers[0]!.events.length > 0);
    const fromStart = await live();
    await late;
    const all = await allEvents(team.owner);
    const rest = all.filter(({ position }) => position > after);
    for (const { events } of readers) {
      await eventually('all have come', () => events.length >= rest.length);
      expect(events).to.deep.equal(rest);
    }
    await eventually('all have come', () => fromStart.events.length >= all.length);
    expect(fromStart.events).to.deep.equal(all);
  });

  it('ends within a second for a revoked key, and goes on for others', async () => {
    let leastMs = Infinity;
    // Up to ten times: the machine may be busy.
    for (let nth = 0; nth < 10 && leastMs >= 1_000; nth += 1) {
      const key = await givenKey(team.owner, 'viewer');
      const { id } = (await server.as(key).get('/v1/me')).body.data.key;
      const after = await head();
      const [gone, stays] = [await live({ after }, key), await live({ after })];
      expect((await team.owner.delete(`/v1/keys/${id}`)).status).to.equal(204);
      const began = performance.now();
      expect(await gone.ended).to.equal('ended');
      leastMs = Math.min(leastMs, performance.now() - began);
      await givenProject(team.owner);
      await eventually('it has come', () => stays.events.at(-1)?.type === 'ProjectCreated');
      expect(gone.events).to.deep.equal([]);
      stays.close();
    }
    expect(leastMs).to.be.below(1_000);
  });

  it('ends cleanly at a stop of the server, which does not wait for its readers', async () => {
    const readers = await Promise.all(Array.from({ length: 5 }, () => live()));
    const began = performance.now();
    const stopped = server.stop();
    for (const { ended } of readers) expect(await ended).to.equal('ended');
    // A stop cuts off open answers after 5 s.
    expect(performance.now() - began).to.be.below(3_000);
    await stopped;
    await server.start();
  });

  it('does not wait for a stalled reader, which gets every event when it reads on', async () => {
    const big = { text: 'x'.repeat(60_000) };
    const after = await head();
    const socket = await connected(server.url);
    socket.pause();
    socket.write(
      `GET /v1/events?after=${after} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: ${team.owner.key}\r\n\r\n`,
    );
    const stream = await live({ after });
    // More at once would measure whether the log answers them within the limit of a call.
    for (let n = 0; n < 40; n += 1) {
      await Promise.all(
        Array.from({ length: 10 }, () => givenResult(team.owner, team.project, { metadata: big })),
      );
    }
    await eventually('all have come', () => stream.events.length >= 400);
    stream.close();
    // The reader continues, and has missed nothing.
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.resume();
    await eventually('the stalled reader has all events', () => received.split('\nevent: ').length > 400);
    const positions = [...received.matchAll(/^id: (\S+)$/gm)].map(([, position]) => position);
    expect(positions).to.deep.equal(stream.events.map(({ position }) => position));
    socket.destroy();
  });

  it('is measured until its first byte, not until its end', async () => {
    const spent = async () => {
      const text = await freshMetrics(server.operator);
      const series = /^testledger_http_request_seconds_(sum|count)\{.*route="\/v1\/events",.*\} (\S+)$/gm;
      const found = [...text.matchAll(series)].map(([, name, value]) => [name, Number(value)] as const);
      const total = (name: string) =>
        found.reduce((sum, [each, value]) => sum + (each === name ? value : 0), 0);
      return { seconds: total('sum'), count: total('count') };
    };
    const after = await head();
    const asked = performance.now();
    const stream = await live({ after });
    const began = performance.now();
    while (performance.now() - began < 1_500) await givenProject(team.owner);
    const before = await spent();
    stream.close();
    await eventually('it is counted', async () => (await spent()).count > before.count);
    // As the client has seen it, without the 1.5 s of the stream.
    expect((await spent()).seconds - before.seconds).to.be.at.most((began - asked) / 1_000);
  });

  it('is refused like any other request', async () => {
    const headers = { Accept: 'text/event-stream' };
    expect((await server.as(null).get('/v1/events', headers)).status).to.equal(401);
    const socket = await connected(server.url);
    socket.write('GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n');
    expect((await answerOf(socket)).status).to.equal(401);
  });
});

describe('the rate limit of a stream', () => {
  const server = ownServer({ RATE_LIMIT: '50' });

  it('counts for its begin, however long the stream lasts', async () => {
    const key = await givenKey(server.operator, 'member');
    const stream = await follow(server.url, key);
    for (let n = 0; n < 5; n += 1) await givenProject(server.operator);
    await eventually('they have come', () => stream.events.length >= 5);
    const { headers } = await server.as(key).get('/v1/me');
    expect(headers.get('ratelimit')).to.match(/^"default";r=9[5-9];/);
    stream.close();
  });
});
