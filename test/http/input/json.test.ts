import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { givenTeamWithProject } from '../given.js';
import { expectError, expectFaults, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('the JSON of a body', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  afterEach('and the server still answers', async () => {
    expect((await team.owner.get('/v1/me')).status).to.equal(200);
  });
  const onA = (content: string | Uint8Array<ArrayBuffer>) =>
    team.owner.send({ method: 'POST', path: '/v1/test/run/', content });
  const onB = (content: string | Uint8Array<ArrayBuffer>) =>
    team.owner.send({ method: 'POST', path: '/v1/projects', content });

  for (const [what, content, line, column] of [
    ['a word', '{"label": nope}', 1, 11],
    ['a fault on a later line', '{\n  "project_id": "x",\r\n  "label": \'x\'\n}', 3, 12],
    ['a comma too many', '{"label":"ab",}', 1, 15],
    ['a comma too few', '{"label":"ab" "metadata":{}}', 1, 15],
    ['a comment', '{"label":"ab" /* no */}', 1, 15],
    ['a control character in a text', '{"label":"a\u0001b"}', 1, 10],
    ['more after the end', '{"label":"ab"} {}', 1, 16],
    ['an invalid escape', '{"label":"\\x41"}', 1, 10],
    ['an invalid number', '{"label":01}', 1, 11],
    ['a fault after astral characters', '{"label":"𝄞",\n"a":}', 2, 5],
    ['a byte order mark', '\ufeff{"label":"ab"}', 1, 1],
    ['a name without quotes', '{label:"ab"}', 1, 2],
  ] as const) {
    it(`is refused for ${what}, naming line ${line} and column ${column}, on both surfaces`, async () => {
      const place = new RegExp(`line ${line}, column ${column}\\b`);
      const a = await onA(content);
      expectProblem(a, 400, 'invalid_json');
      expect(a.body.detail).to.match(place);
      const b = await onB(content);
      expectError(b, 400, 'invalid_request', 'invalid_json');
      expect(b.body.error.message).to.match(place);
    });
  }

  for (const [what, content] of [
    ['ends early', '{"label":"ab"'],
    ['is only blanks', ' \n'],
    ['is an open text', '"'],
    ['opens 100,000 lists', '['.repeat(100_000)],
    ['opens 100,000 objects', '{"a":'.repeat(100_000)],
    ['is broken below 100,000 levels', `${'['.repeat(100_000)}x${']'.repeat(100_000)}`],
    ['is a NUL', '\0'],
    ['is a million minus signs', '-'.repeat(1_000_000)],
    ['is a million commas', `[${','.repeat(1_000_000)}]`],
  ] as const) {
    it(`is refused if it ${what}`, async () => {
      expectProblem(await onA(content), 400, 'invalid_json');
      expectError(await onB(content), 400, 'invalid_request', 'invalid_json');
    });
  }

  for (const [what, bytes] of [
    ['a byte that starts nothing', [0xff]],
    ['a byte that continues nothing', [0x80]],
    ['a letter in two bytes where one will do', [0xc1, 0xa1]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['a letter that is cut off', [0xe2, 0x82]],
    ['a letter in Latin-1', [0xe9]],
  ] as const) {
    it(`is refused for ${what}`, async () => {
      const around = (field: string) =>
        Uint8Array.from([...Buffer.from(`{"${field}":"ab`), ...bytes, ...Buffer.from('"}')]);
      expectProblem(await onA(around('label')), 400, 'invalid_json');
      expectError(await onB(around('name')), 400, 'invalid_request', 'invalid_json');
      expectProblem(await onA(around('unknown')), 400, 'invalid_json');
    });
  }

  it('is refused if it is not an object', async () => {
    for (const content of ['null', 'true', '1', '"text"', '[]', '[{}]', '1e999', '[[[[]]]]']) {
      expectFaults(await onA(content), ' wrong_type');
      expectError(await onB(content), 400, 'invalid_request', 'validation_failed');
    }
  });

  it('is refused if it is nested 100,000 levels deep, in any place', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expectFaults(await onA(deep), ' wrong_type');
    expectFaults(await onA(`{"project_id":"x","unknown":${deep}}`), '/unknown unknown_field');
    expectFaults(await onA(`{"project_id":"x","label":${deep}}`), '/label wrong_type');
    expectFaults(await onA(`{"project_id":${deep}}`), '/project_id wrong_type');
    expectFaults(await onA(`{"project_id":"x","metadata":{"a":${deep}}}`), '/metadata metadata_limit');
    for (const suspicious of ['"label":"\\u0041b"', '"metadata":{}']) {
      const answer = await onA(`{"project_id":"x","metadata":{"a":${deep}},${suspicious}}`);
      expectProblem(answer, 400, 'validation_failed');
    }
  });

  it('is refused for a duplicate name, also if it is written with escapes', async () => {
    for (const [content, field] of [
      [`{"project_id":"${team.project}","project_id":"${team.project}"}`, 'project_id'],
      [`{"project_id":"${team.project}","label":"ab","label":"ab"}`, 'label'],
      [`{"project_id":"${team.project}","label":"ab","l\\u0061bel":"cd"}`, 'label'],
      [`{"metadata":{"metadata":{"metadata":1}},"project_id":"${team.project}","metadata":{}}`, 'metadata'],
    ] as const) {
      expectFaults(await onA(content), `/${field} twice`);
    }
    expectError(await onB('{"name":"ab","name":"cd"}'), 400, 'invalid_request', 'validation_failed');
  });

  it('is accepted if a name only seems to be a duplicate', async () => {
    const metadata = { label: 'label', metadata: { label: ['"label":', '"project_id":"x"'] } };
    const { status, body, text } = await onA(
      JSON.stringify({ metadata, label: '"label":"', project_id: team.project }),
    );
    expect(status, text).to.equal(200);
    expect(body.metadata).to.deep.equal(metadata);
  });

  it('is refused for a number that is not finite', async () => {
    const result = (fields: string) =>
      team.owner.send({
        method: 'POST',
        path: '/v1/test/result/',
        content: `{"project_id":"${team.project}","test_name":"A test","status":"Passed",${fields}}`,
      });
    for (const number of ['1e999', '-1e999']) {
      const { status, body }: Answer = await result(`"attempt":${number}`);
      expect(status).to.equal(400);
      expect(body.errors[0].pointer).to.equal('/attempt');
    }
  });

  it('is refused before it is parsed if it has more values than metadata may have', async () => {
    const names = Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join();
    expectFaults(await onA(`{${names}}`), ' too_many');
    expectFaults(await onA(`{"project_id":"${team.project}","metadata":{${names}}}`), ' too_many');
    expectError(await onB(`[${'{},'.repeat(80_000)}1]`), 400, 'invalid_request', 'validation_failed');
    // Also if a fault follows, which the parser would find only after all of them.
    expectFaults(await onA(`{${names},,}`), ' too_many');
  });

  it('is accepted with any number of commas in its texts', async () => {
    const metadata = { texts: [`${','.repeat(10_000)}"\\`, ','.repeat(10_000), '\\","\\\\'], last: '\\' };
    const { status, body, text } = await onA(JSON.stringify({ project_id: team.project, metadata }));
    expect(status, text).to.equal(200);
    expect(body.metadata).to.deep.equal(metadata);
  });

  it('can be left out if no field is required', async () => {
    const run = (await onA(JSON.stringify({ project_id: team.project }))).body.test_run_id;
    for (const content of [undefined, '']) {
      const answer = await team.owner.send({ method: 'POST', path: `/v1/test/run/${run}`, content });
      expect(answer.status, answer.text).to.equal(204);
    }
    expectFaults(await team.owner.post('/v1/test/run/'), '/project_id required');
  });
});
