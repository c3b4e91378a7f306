import { expect } from 'chai';
import { version } from '../../../src/version.js';
import { givenProject } from '../given.js';
import { freshMetrics } from './metrics-page.js';
import { ownServer } from '../../kit/server.js';

describe('health and metrics', () => {
  const server = ownServer();
  const anyone = () => server.as(null);
  const metrics = () => freshMetrics(anyone());
  /** The value of the metric with all of these labels. */
  const valueOf = (page: string, name: string, ...labels: string[]): number => {
    const line = page
      .split('\n')
      .find((each) => each.startsWith(name) && labels.every((label) => each.includes(label)));
    return Number(line?.split(' ').at(-1));
  };

  it('shows the status and the version without a key', async () => {
    const { status, body } = await anyone().get('/v1/test/status');
    expect([status, body]).to.deep.equal([200, { status: 'ok', version }]);
  });

  it('is alive and ready without a key', async () => {
    for (const path of ['/livez', '/readyz']) {
      const { status, body } = await anyone().get(path);
      expect([status, body], path).to.deep.equal([200, { status: 'ok' }]);
    }
  });

  it('counts requests by method, route and status', async () => {
    const project = await givenProject(server.operator);
    await server.operator.get(`/v1/projects/${project}`);
    await server.operator.get('/v1/projects/unknown');
    await server.operator.get('/v1/nothing/here');
    await server.operator.get('/v1/test/run/unknown/');
    const page = await metrics();
    const count = 'testledger_http_request_seconds_count';
    const route = 'route="/v1/projects/:id"';
    expect(valueOf(page, count, 'method="GET"', route, 'status="200"')).to.equal(1);
    expect(valueOf(page, count, 'method="GET"', route, 'status="404"')).to.equal(1);
    expect(valueOf(page, count, 'route="/v1/test/run/:test_run_id"', 'status="404"')).to.equal(1);
    expect(valueOf(page, count, 'route="none"', 'status="404"')).to.equal(1);
    expect(page, 'an id would make a series of its own').not.to.include(project);
  });

  it('counts appends and measures their time', async () => {
    const before = valueOf(await metrics(), 'testledger_append_seconds_count');
    await givenProject(server.operator);
    const page = await metrics();
    expect(valueOf(page, 'testledger_append_seconds_count')).to.equal(before + 1);
    expect(valueOf(page, 'testledger_append_seconds_sum')).to.be.above(0);
  });

  it('shows the lag of the views: none once they show every write', async () => {
    const project = await givenProject(server.operator);
    expect((await server.operator.get(`/v1/projects/${project}`)).status).to.equal(200);
    const lag = valueOf(await metrics(), 'testledger_projection_lag_seconds', 'projection="records"');
    expect(lag).to.equal(0);
  });

  it('shows the delay of the event loop and the memory of the process', async () => {
    const page = await metrics();
    expect(valueOf(page, 'nodejs_eventloop_lag_p99_seconds')).to.be.at.least(0);
    expect(valueOf(page, 'process_resident_memory_bytes')).to.be.above(10_000_000);
  });
});
