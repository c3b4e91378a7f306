import { expect } from 'chai';
import { errors } from '../../src/errors.js';
import { givenProject, givenTeam } from './given.js';
import { testServer } from '../kit/server.js';

describe('a refusal', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');

  it('is an RFC 9457 problem document on surface A, with exactly the promised fields', async () => {
    const answer = await team.owner.post('/v1/test/result/', { project_id: 'x', test_name: 'y', more: 1 });
    expect(answer.headers.get('content-type')).to.match(/^application\/problem\+json/);
    const { body } = answer;
    expect(body).to.have.all.keys('type', 'title', 'status', 'detail', 'code', 'errors', 'request_id');
    expect(body).to.include({
      title: errors.validation_failed.title,
      status: 400,
      code: 'validation_failed',
      request_id: answer.headers.get('x-request-id'),
    });
    expect(body.type).to.equal('/problems/validation_failed');
    expect(body.errors).to.deep.equal([
      { pointer: '/status', code: 'required', detail: 'is required' },
      { pointer: '/more', code: 'unknown_field', detail: 'is not a field here' },
      { pointer: '/test_name', code: 'too_short', detail: 'must have at least 2 characters' },
    ]);
    for (const { pointer } of body.errors) expect(body.detail).to.include(pointer);
  });

  it('has no errors if no field is wrong', async () => {
    const { body } = await team.owner.get('/v1/test/run/unknown');
    expect(body).to.have.all.keys('type', 'title', 'status', 'detail', 'code', 'request_id');
  });

  it('is { error: { code, message, details } } on surface B', async () => {
    const project = await givenProject(team.owner);
    const answer = await team.owner.patch(`/v1/projects/${project}`, { name: 'x', status: 'Active' });
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    expect(answer.body).to.have.all.keys('error');
    const { error } = answer.body;
    expect(error).to.have.all.keys('code', 'message', 'details');
    expect(error.code).to.equal('invalid_request');
    expect(error.details).to.deep.equal({
      reason: 'validation_failed',
      request_id: answer.headers.get('x-request-id'),
      errors: [
        { pointer: '/name', code: 'too_short', detail: 'must have at least 2 characters' },
        { pointer: '/status', code: 'not_allowed', detail: 'must be one of active, inactive' },
      ],
    });
    for (const { pointer } of error.details.errors) expect(error.message).to.include(pointer);
  });

  it('names a field by a JSON pointer, with ~ and / escaped', async () => {
    const { body } = await team.owner.post('/v1/test/run/', { project_id: 'x', 'a/b~c': 1 });
    expect(body.errors[0].pointer).to.equal('/a~1b~0c');
  });

  it('names at most 100 fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field_${n}`, n]));
    const { status, body } = await team.owner.post('/v1/test/run/', many);
    expect(status).to.equal(400);
    expect(body.errors).to.have.length(100);
  });

  it('has a code and a title of the table', async () => {
    const codes = new Set(Object.keys(errors));
    for (const path of ['/v1/test/run/', '/v1/test/run/x', '/v1/test/nothing', '/v1/test/result/?x=1']) {
      const { body } = await team.owner.get(path);
      expect(codes.has(body.code), body.code).to.equal(true);
      expect(body.title).to.equal(errors[body.code as keyof typeof errors].title);
    }
  });
});
