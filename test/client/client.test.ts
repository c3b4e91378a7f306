import { expect } from 'chai';
import { createClient, TestledgerError, unwrap, type Client } from '../../src/client/index.js';
import { version } from '../../src/version.js';
import { givenProject, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { faultyProxy } from './faulty-proxy.js';

describe('the client', () => {
  const server = testServer();
  const proxy = faultyProxy(() => server.url);
  const team = givenTeam(server, 'each suite');
  let client: Client;
  beforeEach(() => {
    proxy.plan([]);
    const options = { apiKey: team.owner.key!, userAgent: 'a-tool/1.0', retries: { firstMs: 10 } };
    client = createClient({ url: `${proxy.url}/`, ...options });
  });
  const faultOf = (call: Promise<unknown>): Promise<TestledgerError> =>
    call.then(
      () => expect.fail('no fault'),
      (fault: unknown) => fault as TestledgerError,
    );

  it('calls every path of the API with its types, and names itself', async () => {
    const { data } = await unwrap(client.POST('/v1/projects', { body: { name: 'Shoes' } }));
    const id: string = data.id;
    const found = await unwrap(client.GET('/v1/projects/{id}', { params: { path: { id } } }));
    expect(found.data.name).to.equal('Shoes');
    const list = await unwrap(client.GET('/v1/projects', { params: { query: { per_page: 1 } } }));
    expect(list.data.map((project) => project.id)).to.deep.equal([id]);
    expect(proxy.requests[0]!.headers['user-agent']).to.equal(`a-tool/1.0 testledger-client/${version}`);
  });

  it('gives every POST a key of its own, so that a lost answer makes nothing twice', async () => {
    proxy.plan(['unanswered', 'cut']);
    await unwrap(client.POST('/v1/projects', { body: { name: 'Made once' } }));
    await unwrap(client.POST('/v1/projects', { body: { name: 'Made next' } }));
    const keys = proxy.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.have.length(4);
    expect(new Set(keys).size).to.equal(2);
    const { body } = await team.owner.get('/v1/projects?per_page=100');
    const names = body.data.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name === 'Made once')).to.have.length(1);
  });

  it('repeats a GET after each fault that can pass', async () => {
    proxy.plan(['closed', 'cut', 'not json', 'page of a proxy', 503]);
    await unwrap(client.GET('/v1/me'));
    expect(proxy.requests).to.have.length(6);
  });

  it('says what the server refused, with the code of either surface, and repeats nothing', async () => {
    const project_id = await givenProject(team.owner);
    const ofB = await faultOf(
      unwrap(client.GET('/v1/test-runs/{id}', { params: { path: { id: 'run_none' } } })),
    );
    expect(ofB).to.be.instanceOf(TestledgerError);
    expect(ofB).to.include({ code: 'not_found', status: 404 });
    const ofA = await faultOf(unwrap(client.POST('/v1/test/run/', { body: { project_id, label: 'x' } })));
    expect(ofA).to.include({ code: 'validation_failed', status: 400 });
    expect(ofA.fields.map(({ pointer }) => pointer)).to.deep.equal(['/label']);
    // What is wrong is said once.
    expect(ofA.message.split(ofA.fields[0]!.detail)).to.have.length(2);
    expect(ofA.requestId).to.be.a('string');
    expect(proxy.requests).to.have.length(2);
  });

  it('gives up where `Retry-After` is longer than it may wait', async () => {
    const hurried = createClient({ url: proxy.url, apiKey: team.owner.key!, retries: { forMs: 500 } });
    proxy.plan([503]);
    const error = await faultOf(unwrap(hurried.GET('/v1/me')));
    expect(error).to.include({ code: 'unavailable', status: 503, retryAfterMs: 1_000 });
    expect(proxy.requests).to.have.length(1);
  });

  it('is not made with a URL or a key that no request can carry, and shows no key', () => {
    const make = (url: string, apiKey: string) => () => createClient({ url, apiKey });
    for (const url of ['localhost:8080', 'ftp://localhost', ''])
      expect(make(url, 'tl_key')).to.throw('URL').with.property('code', 'invalid_call');
    for (const part of ['user:secret@localhost', 'localhost?token=secret', 'localhost/#secret'])
      expect(make(`http://${part}`, 'tl_key'))
        .to.throw(TestledgerError)
        .with.property('message')
        .not.include('secret');
    for (const key of ['', 'tl_secret\n', 'tl_sécret'])
      expect(make('http://localhost', key))
        .to.throw(TestledgerError)
        .with.property('message')
        .not.include('cret');
  });
});
