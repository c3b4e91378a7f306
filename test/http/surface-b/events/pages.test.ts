import { expect } from 'chai';
import { fromUUID } from 'typeid-js';
import { eventually } from '../../../stores.js';
import type { Api } from '../../../kit/client.js';
import { allEvents, follow, linesOf, pageOf, pagesOf, type Shown, type Sse } from '../../events.js';
import { givenKey, givenProject, givenResult, givenRun, givenSubmission, untilUsed } from '../../given.js';
import { expectError } from '../../refusals.js';
import { ownServer, testServer, type Team } from '../../../kit/server.js';

const TYPES_FOR_ADMINS = ['TeamCreated', 'KeyCreated', 'KeyRevoked', 'ActRecorded'];

describe('GET /v1/events', () => {
  const server = testServer();
  let team: Team;
  let viewer: Api;
  let projects: string[];
  let all: Shown[];
  before(async () => {
    const other = await server.newTeam();
    team = await server.newTeam();
    viewer = server.as(await givenKey(team.owner, 'viewer'));
    projects = [await givenProject(team.owner), await givenProject(team.owner)];
    const theirs = await givenProject(other.owner);
    for (const project of [...projects, projects[0]!]) {
      const { test_run_id } = await givenRun(team.owner, project, { label: 'nightly' });
      await givenResult(team.owner, project, { test_run_id, metadata: { text: 'ünïcode \u2028 \n' } });
      await givenSubmission(other.owner, theirs, [{}, {}, {}]);
      await givenSubmission(team.owner, project, [{}, { status: 'skipped' }, {}]);
    }
    await givenSubmission(other.owner, theirs, [{}, {}]);
    await untilUsed(team.owner, [viewer], 2);
    all = await allEvents(team.owner);
  });
  const streams: Sse[] = [];
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  const live = async (key: string, ...more: [object?, Record<string, string>?]) => {
    const stream = await follow(server.url, key, ...(more as []));
    streams.push(stream);
    return stream;
  };

  it('returns every event of the team in log order, and none of another team', () => {
    const submission = [
      'RunCreated',
      'ResultSubmitted',
      'ResultSubmitted',
      'ResultSubmitted',
      'RunCompleted',
    ];
    const each = ['RunCreated', 'ResultCreated', ...submission];
    const before = ['TeamCreated', 'KeyCreated', 'KeyCreated', 'ProjectCreated', 'ProjectCreated'];
    // The first uses of the keys are told behind the requests.
    const types = all.map(({ type }) => type).filter((type) => type !== 'ActRecorded');
    expect(types).to.deep.equal([...before, ...each, ...each, ...each]);
    expect(new Set(all.map(({ source }) => source))).to.deep.equal(new Set([`/teams/${team.id}`]));
    const positions = all.map(({ position }) => position);
    expect([...new Set(positions)].sort()).to.deep.equal(positions);
  });

  it('returns each event as a CloudEvent 1.0 with its position, its request id and its actor', async () => {
    const { data: key } = (await team.owner.get('/v1/me')).body;
    const answer = await team.owner.post('/v1/projects', { name: 'Shop' }, { 'X-Request-Id': 'the-request' });
    const event = (await allEvents(team.owner)).at(-1)!;
    const { id } = answer.body.data;
    expect(event).to.deep.equal({
      specversion: '1.0',
      id: event.id,
      source: `/teams/${team.id}`,
      type: 'ProjectCreated',
      subject: id,
      time: answer.body.data.created_at,
      datacontenttype: 'application/json',
      dataschema: `${server.url}/v1/events/schemas/ProjectCreated.v1`,
      position: event.position,
      correlationid: 'the-request',
      actor: key.key.id,
      data: { project_id: id, name: 'Shop', description: null, default_branch: 'main' },
    });
    expect(event.id).to.match(/^event_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    for (const name of Object.keys(event)) expect(name).to.match(/^[a-z0-9]{1,20}$/);
    all = await allEvents(team.owner);
  });

  it('names the subject of each event, which for a submitted result is the result and not its run', () => {
    for (const { type, subject, data } of all) {
      if (type === 'ResultSubmitted') expect(subject).to.equal(data.result_id);
      if (type === 'RunCreated') expect(subject).to.equal(data.run_id);
      if (type === 'KeyCreated') expect(subject).to.equal(team.id);
    }
  });

  for (const limit of [1, 2, 3, 5, 7, 1_000]) {
    it(`returns pages of ${limit}, each beginning where the last has ended`, async () => {
      const pages = await pagesOf(team.owner, { limit });
      expect(pages.flatMap(({ data }) => data)).to.deep.equal(all);
      for (const { data } of pages) expect(data.length).to.be.at.most(limit);
    });
  }

  it('continues after any event, in each form', async () => {
    for (const [at, { position: after }] of all.entries()) {
      const rest = all.slice(at + 1);
      expect(await allEvents(team.owner, { after, limit: 4 })).to.deep.equal(rest);
      expect(await linesOf(team.owner, { after })).to.deep.equal(rest);
    }
    const [, second, third] = all;
    const stream = await live(team.owner.key!, { after: second!.position });
    await eventually('all have come', () => stream.events.length >= all.length - 2);
    expect(stream.events).to.deep.equal(all.slice(2));
    const back = await live(team.owner.key!, { after: '' }, { 'Last-Event-ID': third!.position });
    await eventually('all have come', () => back.events.length >= all.length - 3);
    expect(back.events, 'Last-Event-ID wins').to.deep.equal(all.slice(3));
  });

  it('returns the same events in each form', async () => {
    expect(await linesOf(team.owner)).to.deep.equal(all);
    const stream = await live(team.owner.key!);
    await eventually('all have come', () => stream.events.length >= all.length);
    expect(stream.events).to.deep.equal(all);
    expect(stream.text).to.match(/^retry: \d+\n\n/);
  });

  it('accepts a limit for streams too, which then end', async () => {
    for (const limit of [1, 4, 8]) {
      expect(await linesOf(team.owner, { limit })).to.deep.equal(all.slice(0, limit));
      const stream = await live(team.owner.key!, { limit });
      expect(await stream.ended).to.equal('ended');
      expect(stream.events).to.deep.equal(all.slice(0, limit));
    }
  });

  it('returns 100 events on a page by default', async () => {
    const other = await server.newTeam();
    const project = await givenProject(other.owner);
    await givenSubmission(
      other.owner,
      project,
      Array.from({ length: 150 }, () => ({})),
    );
    const page = await pageOf(other.owner);
    expect([page.data.length, page.caught_up]).to.deep.equal([100, false]);
  });

  it('shows every write that was answered before the replay began', async () => {
    let { next: after } = (await pagesOf(team.owner)).at(-1)!;
    for (let n = 0; n < 20; n += 1) {
      const id = await givenProject(team.owner);
      const page = await pageOf(team.owner, { after });
      expect([page.data.map(({ subject }) => subject), page.caught_up]).to.deep.equal([[id], true]);
      after = page.next;
    }
    all = await allEvents(team.owner);
  });

  describe('with a filter', () => {
    for (const types of [
      ['ResultSubmitted'],
      ['RunCreated', 'ResultCreated'],
      ['KeyCreated'],
      ['ResultVoided'],
    ]) {
      it(`returns events of ${types.join(' and ')} only`, async () => {
        const wanted = all.filter(({ type }) => types.includes(type));
        const query = { types: types.join(',') };
        expect(await allEvents(team.owner, query)).to.deep.equal(wanted);
        expect(await allEvents(team.owner, { ...query, limit: 2 })).to.deep.equal(wanted);
        expect(await linesOf(team.owner, query)).to.deep.equal(wanted);
      });
    }

    it('returns events of one project only, and none for an unknown project or that of another team', async () => {
      for (const project_id of projects) {
        const wanted = all.filter(({ data }) => data.project_id === project_id);
        expect(wanted.length).to.be.above(5);
        for (const limit of [1, 3, 1_000]) {
          expect(await allEvents(team.owner, { project_id, limit })).to.deep.equal(wanted);
        }
        expect(await linesOf(team.owner, { project_id })).to.deep.equal(wanted);
        const both = { project_id, types: 'RunCreated,KeyCreated' };
        expect(await allEvents(team.owner, both)).to.deep.equal(
          wanted.filter(({ type }) => type === 'RunCreated'),
        );
      }
      for (const project_id of ['project_01h455vb4pex5vsknk084sn02q', 'none']) {
        expect(await allEvents(team.owner, { project_id })).to.deep.equal([]);
      }
      const theirs = await givenProject((await server.newTeam()).owner);
      expect(await allEvents(team.owner, { project_id: theirs })).to.deep.equal([]);
    });

    it('shows events about members and keys to admins and owners only', async () => {
      const shown = all.filter(({ type }) => !TYPES_FOR_ADMINS.includes(type));
      expect(shown.length).to.be.below(all.length);
      const admin = server.as(await givenKey(team.owner, 'admin'));
      const member = server.as(await givenKey(team.owner, 'member'));
      await untilUsed(team.owner, [admin, member], 4);
      all = await allEvents(team.owner);
      expect(await allEvents(admin)).to.deep.equal(all);
      for (const api of [viewer, member]) {
        expect(await allEvents(api)).to.deep.equal(shown);
        expect(await linesOf(api)).to.deep.equal(shown);
        expect(await allEvents(api, { types: 'KeyCreated' })).to.deep.equal([]);
        const stream = await live(api.key!);
        await eventually('all have come', () => stream.events.length >= shown.length);
        expect(stream.events).to.deep.equal(shown);
      }
    });
  });

  describe('refuses', () => {
    const forms = ['application/json', 'application/x-ndjson', 'text/event-stream'];
    const refused = async (path: string, pointer: string, headers: Record<string, string> = {}) => {
      for (const Accept of forms) {
        const answer = await team.owner.get(path, { Accept, ...headers });
        expectError(answer, 400, 'invalid_request');
        expect(answer.body.error.details.errors[0].pointer, path).to.equal(pointer);
      }
    };

    it('a text that is not a position', async () => {
      const last = all.at(-1)!.position;
      const submitted = all.find(({ type }) => type === 'ResultSubmitted')!.position;
      const project = all.find(({ type }) => type === 'ProjectCreated')!.position;
      for (const after of [
        'x',
        '0',
        '1',
        '-1',
        `${last}x`,
        `${last} `,
        last.slice(1),
        `${project}-000000`,
        `${submitted.slice(0, 20)}-000003`,
        `${submitted.slice(0, 20)}-3`,
        `99${last.slice(2)}`,
        '99999999999999999999',
        '00000000000000000000-000000',
      ]) {
        await refused(`/v1/events?after=${encodeURIComponent(after)}`, '?after');
      }
      const answer = await team.owner.get('/v1/events', { Accept: forms[2]!, 'Last-Event-ID': 'x' });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.error.details.errors[0].pointer).to.equal('Last-Event-ID');
    });

    it("a position within another team's submission", async () => {
      const other = await server.newTeam();
      await givenSubmission(other.owner, await givenProject(other.owner), [{}, {}]);
      const theirs = (await allEvents(other.owner)).find(({ type }) => type === 'ResultSubmitted')!;
      await refused(`/v1/events?after=${theirs.position}`, '?after');
      const { position } = (await allEvents(other.owner)).find(({ type }) => type === 'RunCreated')!;
      expect(await allEvents(team.owner, { after: position })).to.deep.equal([]);
    });

    it('unknown types, limits out of range, and unknown parameters', async () => {
      for (const types of [
        'Nothing',
        'ResultCreated,',
        '',
        'resultcreated',
        'ResultCreated.v1',
        'a b',
        '__proto__',
      ]) {
        await refused(`/v1/events?types=${types}`, '?types');
      }
      for (const limit of ['0', '1001', '-1', 'x', '1.5', ''])
        await refused(`/v1/events?limit=${limit}`, '?limit');
      await refused('/v1/events?page=1', '?page');
      await refused('/v1/events?after=&after=', '?after');
    });
  });

  it('answers HEAD like GET in each form, without the body', async () => {
    for (const Accept of ['application/json', 'application/x-ndjson', 'text/event-stream']) {
      const { status, headers, text } = await team.owner.send({
        method: 'HEAD',
        path: '/v1/events',
        headers: { Accept },
      });
      expect([status, text]).to.deep.equal([200, '']);
      expect(headers.get('content-type')).to.equal(`${Accept}; charset=utf-8`);
    }
  });
});

describe('the id of an event in the replay', () => {
  const server = ownServer();

  it('is the TypeID of its UUID', async () => {
    const team = await server.newTeam();
    await givenKey(team.owner, 'viewer');
    const all = (await allEvents(team.owner)).filter(({ type }) => type !== 'ActRecorded');
    await server.stop();
    const { events: recorded } = await server.stores(async ({ log }) =>
      log.readStream(`team-${team.id}.${team.id}`, { limit: 100 }),
    );
    await server.start();
    expect(recorded).to.have.length(3);
    expect(all.map(({ id }) => id)).to.deep.equal(recorded.map(({ id }) => fromUUID(id, 'event')));
  });
});
