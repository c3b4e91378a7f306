import { expect } from 'chai';
import { kinds } from '../../../../src/admission/kinds.js';
import { eventVersions } from '../../../../src/domain/events.js';
import { eventually } from '../../../stores.js';
import { follow, pageOf, type Sse } from '../../events.js';
import { givenKey, givenProject, givenTeam } from '../../given.js';
import { connected } from '../../protocol/raw.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

describe('many replays of one key at the same time', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let viewer: string;
  const streams: Sse[] = [];
  before(async () => {
    viewer = await givenKey(team.owner, 'viewer');
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  const live = async (key: string) => {
    const stream = await follow(server.url, key);
    streams.push(stream);
    return stream;
  };

  it('are live up to the limit of a key: one more waits for a place, and is refused if none is free in time', async () => {
    await Promise.all(Array.from({ length: kinds.liveStreams.places.perKey! }, () => live(viewer)));
    const waiting = server.as(viewer).get('/v1/events', { Accept: 'text/event-stream' });
    // Other keys, other teams and other forms have places of their own.
    const other = await server.newTeam();
    for (const key of [team.owner.key!, other.owner.key!]) await live(key);
    await pageOf(server.as(viewer));
    const refused = await waiting;
    expectError(refused, 503, 'unavailable', 'too_many_replays');
    expect(refused.headers.get('retry-after')).to.equal('5');
    const next = live(viewer);
    streams[0]!.close();
    await next;
  });

  it('are all answered where they are pages: those beyond the limit of the key wait for their turn', async () => {
    await givenProject(team.owner);
    const count = 4 * kinds.replayPages.places.perKey!;
    const pages = await Promise.all(Array.from({ length: count }, () => pageOf(server.as(viewer))));
    for (const page of pages) expect(page).to.deep.equal(pages[0]);
  });

  it('name the schemas by the host that each reader used', async () => {
    const hosts = ['one.example', 'two.example:8080'];
    const texts = hosts.map(() => '');
    const sockets = await Promise.all(
      hosts.map(async (host, n) => {
        const socket = await connected(server.url);
        socket.setEncoding('utf8').on('data', (text: string) => (texts[n] += text));
        socket.write(
          `GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nAuthorization: ${viewer}\r\n\r\n`,
        );
        return socket;
      }),
    );
    await eventually('both follow', () => texts.every((text) => text.includes('\nevent: ')));
    const name = `"http://tricky.example" "dataschema":"x`;
    const project = await givenProject(team.owner, { name });
    await eventually('both have the event', () => texts.every((text) => text.includes(project)));
    for (const [n, host] of hosts.entries()) {
      const data = texts[n]!.split('\n').filter((line) => line.startsWith('data: '));
      const events = data.map((line) => JSON.parse(line.slice('data: '.length)));
      for (const { dataschema, type } of events) {
        expect(dataschema).to.equal(
          `http://${host}/v1/events/schemas/${type}.v${eventVersions[type as keyof typeof eventVersions]}`,
        );
      }
      expect(events.at(-1).data.name).to.equal(name);
    }
    for (const socket of sockets) socket.destroy();
  });
});
