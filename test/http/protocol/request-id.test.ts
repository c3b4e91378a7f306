import { expect } from 'chai';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenProject } from '../given.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { ownServer } from '../../kit/server.js';

describe('the request id', () => {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const server = ownServer({}, pino({ level: 'debug' }, sink));
  const logged = (id: string) =>
    lines.map((line) => JSON.parse(line)).filter((line) => line.request_id === id);

  it('is generated if none is sent, a new one each time', async () => {
    const ids = await Promise.all(
      ['/v1/me', '/v1/nothing', '/v1/test/run/x', '/livez'].map(async (path) =>
        (await server.operator.get(path)).headers.get('x-request-id')!,
      ),
    );
    expect(new Set(ids).size).to.equal(4);
    for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/);
  });

  it('is the one that the client sent, in answers, in refusals of both surfaces, and in the log', async () => {
    const sent = (id: string) => ({ 'X-Request-Id': id });
    const taken = await server.operator.get('/v1/me', sent('trace/1:ok'));
    expect(taken.headers.get('x-request-id')).to.equal('trace/1:ok');
    const a = await server.operator.get('/v1/test/run/x', sent('trace-a'));
    expect([a.headers.get('x-request-id'), a.body.request_id]).to.deep.equal(['trace-a', 'trace-a']);
    const b = await server.operator.get('/v1/projects/x', sent('trace-b'));
    expect(b.body.error.details.request_id).to.equal('trace-b');

    expect(logged('trace/1:ok')[0]).to.include({ method: 'GET', path: '/v1/me', status: 200 });
    expect(logged('trace-a')[0]).to.include({ status: 404, code: 'not_found' });
    for (const id of ['trace/1:ok', 'trace-a', 'trace-b']) expect(logged(id)).to.have.length(1);
  });

  it('is generated if the one that was sent is not valid', async () => {
    for (const wrong of ['a b', 'x'.repeat(129), 'é']) {
      const { headers } = await server.operator.get('/v1/me', { 'X-Request-Id': wrong });
      expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('is in every line of the log, and no key is in any', async () => {
    await server.as('nobody').get('/v1/me');
    const { body } = await server.operator.post('/v1/keys', { name: 'A key', role: 'viewer' });
    const requests = lines.filter((line) => line.includes('"method"'));
    expect(requests).not.to.deep.equal([]);
    for (const line of requests) expect(JSON.parse(line).request_id).to.be.a('string');
    for (const secret of [OWNER_KEY, body.data.key]) expect(lines.join('')).not.to.include(secret);
  });

  it('is the correlation_id of the events, and the key is their actor', async () => {
    const { data: me } = (await server.operator.get('/v1/me')).body;
    const project = await givenProject(server.operator);
    const changed = { 'X-Request-Id': 'trace-event' };
    await server.operator.patch(`/v1/projects/${project}`, { name: 'Traced', status: 'inactive' }, changed);
    await server.stop();
    const stream = `project-${OPERATOR_TEAM}.${project}`;
    const { events } = await server.stores(({ log }) => log.readStream(stream));
    await server.start();
    expect(events.map(({ type, meta }) => [type, meta.correlation_id === 'trace-event'])).to.deep.equal([
      ['ProjectCreated', false],
      ['ProjectDescribed', true],
      ['ProjectStatusChanged', true],
    ]);
    for (const { meta } of events) expect(meta).to.include({ actor: me.key.id, team_id: me.team.id });
  });
});
