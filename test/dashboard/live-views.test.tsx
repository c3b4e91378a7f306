import { expect } from 'chai';
import { createServer, get, type IncomingMessage, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openLiveViews, type LiveViews, type Wanted } from '../../src/dashboard/live/live-views.js';
import { openAdmission } from '../../src/admission/admission.js';
import type { Page, PageRequest } from '../../src/dashboard/page.js';
import type { KeyRole } from '../../src/domain/teams/team.js';
import { fail } from '../../src/errors.js';
import { publicOrigin } from '../../src/http/origin.js';
import { eventually } from '../stores.js';

type Reader = { text: string; isOver: boolean; response: IncomingMessage };

describe('the live parts of a page', () => {
  let server: Server;
  let live: LiveViews;
  let base: string;
  let position: string;
  let rendered: { role: KeyRole; search: string; onlyLive: boolean }[];
  let show: () => string;
  let reported: unknown[];
  /** By the name in the query `as`. */
  let roles: Map<string, KeyRole>;
  let open: IncomingMessage[];
  let rightsChanged: () => void;
  let asked: number;

  const paces: Record<string, { liveEveryMs: number }> = {
    operations: { liveEveryMs: 10 },
    webhooks: { liveEveryMs: 300 },
  };
  let allowedEveryMs = 5;
  const page: Page = {
    method: 'GET',
    path: '/teams/:team/runs/:run',
    role: 'viewer',
    liveQuery: ['n'],
    async handle({ team, url, origin, onlyLive = false }) {
      rendered.push({ role: team.role, search: url.search, onlyLive });
      const live = { verdict: <p>{show()}</p>, still: <b>the same</b>, server: <i>{origin}</i> };
      return { title: 'A run', body: <p />, live };
    },
  };

  beforeEach(async () => {
    position = '1';
    rendered = [];
    reported = [];
    open = [];
    asked = 0;
    roles = new Map();
    show = () => `at ${position}`;
    live = openLiveViews({
      admission: openAdmission(),
      positionOf: async () => position,
      onTeamEvents: (changed) => (rightsChanged = changed),
      report: (error) => void reported.push(error),
      everyMs: 5,
      allowedEveryMs,
    });
    server = createServer((req, res) => {
      const url = new URL(req.url!, 'http://page.invalid');
      const name = url.searchParams.get('as') ?? 'ada';
      url.searchParams.delete('as');
      const role = roles.get(name) ?? 'viewer';
      roles.set(name, role);
      const team = { team_id: url.pathname.split('/')[2]!, team_name: 'Team', role };
      const wanted: Wanted = {
        page: { ...page, ...paces[url.pathname.split('/').at(-1)!] },
        request: { team, url, origin: publicOrigin(null, req) } as PageRequest,
        isAllowed: async () => {
          asked += 1;
          return roles.get(name) === role;
        },
        isMember: () => roles.get(name) === role,
      };
      live.follow({ res, state: {}, respond: true }, wanted).catch(() => res.writeHead(503).end());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    live.close();
    for (const response of open) response.destroy();
    await new Promise((done) => server.close(done));
  });

  const answered = (path: string, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> =>
    new Promise((done, failed) => {
      get(base + path, { agent: false, headers }, (response) => {
        open.push(response);
        response.on('error', () => undefined);
        done(response);
      }).on('error', failed);
    });
  const reading = async (
    path = '/teams/team_1/runs/run_1',
    headers: OutgoingHttpHeaders = {},
  ): Promise<Reader> => {
    const reader: Reader = { text: '', isOver: false, response: await answered(path, headers) };
    reader.response.setEncoding('utf8').on('data', (text: string) => (reader.text += text));
    reader.response.on('close', () => (reader.isOver = true));
    return reader;
  };

  it('are rendered once for 200 readers of one run, who all get each change', async () => {
    const readers = await Promise.all(Array.from({ length: 200 }, () => reading()));
    await eventually('the first rendering', () => readers.every(({ text }) => text.includes('at 1')));
    const before = rendered.length;
    position = '2';
    await eventually('the change', () => readers.every(({ text }) => text.includes('at 2')));
    expect(before).to.equal(1);
    expect(rendered.length).to.equal(2);
    expect(rendered.every(({ onlyLive }) => onlyLive)).to.equal(true);
  });

  it('are not rendered while the read models stay the same, and only changed parts are sent', async () => {
    const reader = await reading();
    await eventually('the first rendering', () => reader.text.includes('at 1'));
    position = '2';
    await eventually('the change', () => reader.text.includes('at 2'));
    expect(reader.text.match(/the same/g)).to.have.length(1);
    position = '3';
    show = () => 'at 2';
    await eventually('the third rendering', () => rendered.length === 3);
    const sent = reader.text.length;
    position = '4';
    await eventually('the fourth rendering', () => rendered.length === 4);
    expect(reader.text.length).to.equal(sent);
  });

  describe('of a person who was removed', () => {
    before(() => void (allowedEveryMs = 600_000));
    after(() => void (allowedEveryMs = 5));

    it('end within a second of what every node hears of it, and no store is asked for that', async () => {
      const [left, other] = [await reading('/teams/team_1?as=mia'), await reading('/teams/team_1?as=ben')];
      await eventually('the first rendering', () => [left, other].every(({ text }) => text.includes('at 1')));
      roles.delete('mia');
      const began = performance.now();
      for (let n = 0; n < 1_000; n += 1) rightsChanged();
      await eventually('the end', () => left.isOver);
      expect(performance.now() - began).to.be.below(1_000);
      expect(other.isOver).to.equal(false);
      expect(asked).to.equal(0);
    });
  });

  it('are rendered at the pace of a page that has one, while the read models stay the same', async () => {
    let round = 0;
    show = () => `round ${(round += 1)}`;
    const reader = await reading('/teams/team_1/operations');
    await eventually('the third rendering', () => reader.text.includes('round 3'));
    expect(position).to.equal('1');
    reader.response.destroy();
    await eventually('the leave', async () => (await readersOf(server)) === 0);
    const before = round;
    const other = await reading();
    await eventually('another page', () => other.text.includes(`round ${before + 1}`));
  });

  it('are never older than the page of a reader who comes later, as after a form', async () => {
    show = () => 'no webhook yet';
    const before = await reading('/teams/team_1/webhooks');
    await eventually('the first rendering', () => before.text.includes('no webhook yet'));
    show = () => 'the new webhook';
    const after = await reading('/teams/team_1/webhooks');
    await eventually('the next rendering', () => after.text.includes('the new webhook'));
    expect(after.text).to.include('the same').and.not.include('no webhook yet');
    expect(before.text.match(/the same/g)).to.have.length(1);
  });

  it('are rendered for each role by itself', async () => {
    roles.set('owner', 'owner');
    const readers = await Promise.all([reading(), reading('/teams/team_1/runs/run_1?as=owner')]);
    await eventually('both', () => readers.every(({ text }) => text.includes('at 1')));
    expect(rendered.map(({ role }) => role).toSorted()).to.deep.equal(['owner', 'viewer']);
  });

  it('name the server as the reader has reached it, whatever Host another reader has sent', async () => {
    const other = await reading(undefined, { Host: 'evil.example' });
    const reader = await reading();
    await eventually('both', () => [other, reader].every(({ text }) => text.includes('at 1')));
    expect(other.text).to.include('http://evil.example');
    expect(reader.text).to.include(base).and.not.include('evil.example');
  });

  it('end for a reader who is removed or gets another role, and go on for the others', async () => {
    const removed = await reading('/teams/team_1/runs/run_1?as=removed');
    const raised = await reading('/teams/team_1/runs/run_1?as=raised');
    const stays = await reading('/teams/team_1/runs/run_1?as=stays');
    await eventually('the first rendering', () => stays.text.includes('at 1'));
    roles.delete('removed');
    roles.set('raised', 'admin');
    await eventually('both ends', () => removed.isOver && raised.isOver);
    position = '2';
    await eventually('the change', () => stays.text.includes('at 2'));
    expect(removed.text + raised.text).not.to.include('at 2');
    expect(reported).to.deep.equal([]);
  });

  it('are cut off for a reader who does not read, and for no other', async () => {
    let round = 0;
    show = () => `${round} ${'x'.repeat(200_000)}`;
    const idle = await answered('/teams/team_1/runs/run_1');
    idle.pause();
    const stays = await reading();
    let isCut = false;
    idle.socket.on('close', () => (isCut = true));
    await eventually('the cut', async () => {
      position = String((round += 1));
      stays.text = '';
      return (await readersOf(server)) === 1;
    });
    position = 'last';
    show = () => 'the last one';
    await eventually('the last change', () => stays.text.includes('the last one'));
    idle.resume();
    await eventually('the end at the reader', () => isCut);
  });

  it('end when what they are about is deleted, without a report', async () => {
    const reader = await reading();
    await eventually('the first rendering', () => reader.text.includes('at 1'));
    show = () => fail('not_found', 'There is no such run.');
    position = '2';
    await eventually('the end', () => reader.isOver);
    expect(reported).to.deep.equal([]);
  });

  it('are rendered no more once the last reader has left', async () => {
    const reader = await reading();
    await eventually('the first rendering', () => reader.text.includes('at 1'));
    reader.response.destroy();
    await eventually('the leave', async () => (await readersOf(server)) === 0);
    position = '2';
    const other = await reading('/teams/team_1/runs/run_2');
    await eventually('another page', () => other.text.includes('at 2'));
    expect(rendered).to.have.length(2);
  });

  it('leave half of the room to the other teams, whatever one team has open, until its readers leave', async () => {
    const paths = Array.from({ length: 250 }, (_, n) => `/teams/team_1/runs/run_1?n=${n}`);
    const readers = await Promise.all(paths.map((path) => reading(path)));
    const oneMore = async () => (await answered('/teams/team_1/runs/run_1?n=one-more')).statusCode;
    expect(await oneMore()).to.equal(503);
    expect((await answered(paths[0]!)).statusCode).to.equal(200);
    expect((await answered('/teams/team_2/runs/run_1')).statusCode).to.equal(200);
    readers.at(-1)!.response.destroy();
    await eventually('its place', async () => (await oneMore()) === 200);
  });

  it('are one view whatever unknown parameters the query has, in whatever order, and see none of them', async () => {
    const queries = ['', '?n=1&x=1', '?x=2&n=1&n=3', '?n=1'];
    const readers = await Promise.all(queries.map((query) => reading(`/teams/team_1/runs/run_1${query}`)));
    await eventually('the first rendering', () => readers.every(({ text }) => text.includes('at 1')));
    expect(rendered.map(({ search }) => search).toSorted()).to.deep.equal(['', '?n=1']);
  });

  it('of one team take one share of the time together, however many views it has open, and hold up no other team', async () => {
    show = () => {
      const end = performance.now() + 10;
      while (performance.now() < end);
      return `at ${position}`;
    };
    const began = performance.now();
    const readers = await Promise.all([1, 2, 3, 4].map((n) => reading(`/teams/team_1/runs/run_1?n=${n}`)));
    const other = await reading('/teams/team_2/runs/run_1');
    await eventually('the other team', () => other.text.includes('at 1'));
    expect(readers.filter(({ text }) => text.includes('at 1')).length, 'rendered before').to.be.below(4);
    await eventually('all', () => readers.every(({ text }) => text.includes('at 1')));
    // Three times, the next one waited for nineteen times what the one before had taken.
    expect(performance.now() - began).to.be.above(3 * 190);
  });

  it('end for a reader who is removed while they wait for their turn', async () => {
    show = () => {
      const end = performance.now() + 50;
      while (performance.now() < end);
      return `at ${position}`;
    };
    const first = await reading();
    const waiting = await reading('/teams/team_1/runs/run_2?as=eve');
    await eventually('the first rendering', () => first.text.includes('at 1'));
    roles.delete('eve');
    await eventually('the end', () => waiting.isOver);
    expect(waiting.text).not.to.include('at 1');
  });

  it('end for all when the server stops, and begin no more', async () => {
    const readers = await Promise.all([reading(), reading(), reading('/teams/team_1/runs/run_2')]);
    live.close();
    await eventually('the ends', () => readers.every(({ isOver }) => isOver));
    expect((await answered('/teams/team_1/runs/run_1')).statusCode).to.equal(503);
  });
});

/** The connections that the server still has. */
function readersOf(server: Server): Promise<number> {
  return new Promise((done, failed) => {
    server.getConnections((error, count) => (error === null ? done(count) : failed(error)));
  });
}
