import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { hashOfKey } from '../../../../src/domain/teams/api-key.js';
import { allEvents } from '../../events.js';
import {
  givenArtifact,
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
} from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

describe('the served schemas of events', () => {
  const server = testServer();

  it('are listed, each with its URL', async () => {
    const { data } = (await server.operator.get('/v1/events/schemas')).body;
    expect(data.length).to.be.above(20);
    for (const { type, version, url } of data) {
      expect(url).to.equal(`${server.url}/v1/events/schemas/${type}.v${version}`);
      const { status, body, headers } = await server.operator.get(url.slice(server.url.length));
      expect([status, body.title]).to.deep.equal([200, type]);
      expect(headers.get('content-type')).to.match(/^application\/schema\+json/);
    }
  });

  it('are complete: each validates its events without another file', async () => {
    const { owner } = await server.newTeam();
    const project = await givenProject(owner);
    const { test_run_id } = await givenRun(owner, project, { metadata: { branch: 'main' } });
    const { test_result_id } = await givenResult(owner, project, { test_run_id, metadata: { a: [1] } });
    await givenSubmission(owner, project, [{ error_message: 'x' }, {}]);
    await givenArtifact(owner, test_result_id);
    await givenKey(owner, 'viewer');
    const events = await allEvents(owner);
    expect(new Set(events.map(({ type }) => type)).size).to.be.above(8);
    for (const { type, dataschema, data } of events) {
      const { body } = await owner.get(String(dataschema).slice(server.url.length));
      // Like any tool, this validator does not know our own keywords and formats.
      const holds = new Ajv2020({ strict: false, validateFormats: false }).compile(body);
      expect(holds(data), `${type}: ${JSON.stringify(holds.errors)}`).to.equal(true);
      expect(holds({ ...data, unknown: 1 }), type).to.equal(false);
    }
  });

  it('leave out the hash of a key, and so do the events', async () => {
    const { owner } = await server.newTeam();
    const key = await givenKey(owner, 'viewer');
    const made = (await allEvents(owner)).filter(({ type }) => type === 'KeyCreated');
    expect(made).to.have.lengthOf(2);
    for (const { data } of made) {
      const fields = ['key_id', 'name', 'role', 'prefix', 'person_id', 'created_by'];
      expect(data).to.have.all.keys(...fields, 'expires_at', 'project_ids');
    }
    expect(JSON.stringify(made)).not.to.include(hashOfKey(key));
    const { body } = await owner.get('/v1/events/schemas/KeyCreated.v1');
    expect([...body.required, ...Object.keys(body.properties)]).not.to.include('hash');
  });

  it('are 404 for an unknown name', async () => {
    for (const name of [
      'Nothing.v1',
      'RunCreated',
      'RunCreated.v99',
      'RunCreated.v1.json',
      'common',
      '__proto__',
    ]) {
      expectError(await server.operator.get(`/v1/events/schemas/${name}`), 404, 'not_found');
    }
  });
});
