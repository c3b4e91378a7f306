import { expect } from 'chai';
import { pino } from 'pino';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { pageServer } from '../kit/page-server.js';
import { ownServer } from '../kit/server.js';

describe('the line of a request in the log', () => {
  const lines: any[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const server = ownServer({ TRUSTED_PROXIES: '127.0.0.0/8' }, logger);
  const pages = pageServer();
  const lineOf = async (id: string, key: string | null, from: string) => {
    const headers = { 'X-Request-Id': id, 'X-Forwarded-For': from };
    await server.as(key).get('/v1/me', headers);
    return lines.find(({ request_id }) => request_id === id);
  };

  it('says which key sent it and from which network, also behind a proxy', async () => {
    const line = await lineOf('one', server.operator.key, '192.0.2.77');
    expect(line.key_id).to.match(/^key_/);
    expect(line).to.include({ client: '192.0.2.0/24', status: 200 });
    expect((await lineOf('two', server.operator.key, '2001:db8:1:2::3')).client).to.equal('2001:db8:1::/48');
  });

  it('says the network alone where nobody was let in', async () => {
    const line = await lineOf('three', null, '192.0.2.77');
    expect(line).to.include({ client: '192.0.2.0/24', status: 401 });
    expect(line).not.to.have.any.keys('key_id', 'person_id');
    expect(JSON.stringify(lines)).not.to.include('192.0.2.77');
  });

  it('says which person opened a page', async () => {
    await pages.get(`/teams/${OPERATOR_TEAM}/team`, { as: 'member' });
    const line = JSON.parse(pages.lines.findLast((each) => each.includes('"msg":"request"'))!);
    expect(line).to.include({ person_id: 'person_member', client: '127.0.0.0/24' });
  });
});
