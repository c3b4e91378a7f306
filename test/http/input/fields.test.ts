import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { givenResult, givenRun, givenTeamWithProject, newArtifact } from '../given.js';
import { testServer } from '../../kit/server.js';

/** The values of a field; `clears` if null is allowed, because the record can be null. */
type Fields = Record<string, { wrong: unknown[]; right: unknown[]; clears: boolean }>;

/** One code point, two UTF-16 units, four bytes in UTF-8. */
const astral = '𝄞';
/** A text of so many code points, without a NUL or a lone surrogate. It is neither trimmed nor normalised. */
const text = (least: number, most: number, clears: boolean) => {
  const lengths = [most + 1, ...(least > 0 ? [least - 1] : [])];
  const notText = ['a\0b', '\0\0', 'ab\ud800', '\udfffab', 'a\ud800\ud800\udfff'];
  return {
    wrong: [1, true, [], {}, ['ab'], ...lengths.map((length) => astral.repeat(length)), ...notText],
    right: [least, most - 1, most]
      .map((length) => astral.repeat(length))
      .concat('  ', '\t\n\r', 'e\u0301', '\u200b\ufeff'),
    clears,
  };
};
/** Metadata of so many bytes as compact JSON in UTF-8. */
const ofBytes = (bytes: number) => ({
  key: `${'𝄞'.repeat(100)}${'x'.repeat(bytes - 400 - '{"key":""}'.length)}`,
});
const metadata = {
  wrong: [1, 'x', true, [], [{}], '{}', ofBytes(65_537)],
  right: [{}, { a: 1 }, ofBytes(65_536)],
  clears: true,
};
const instant = { wrong: [1, true, {}, [], 'x', ''], right: ['2026-01-02T03:04:05.000Z'], clears: true };
const id = { wrong: [1, true, {}, []], right: [], clears: false };
const choice = (...right: string[]) => ({
  wrong: [1, true, {}, [], '', right[0]!.toUpperCase(), `${right[0]} `, right.slice(0, 1)],
  right,
  clears: false,
});
const runStatus = choice('Pending', 'Running', 'Completed');
const resultStatus = choice('Pending', 'Running', 'Passed', 'Failed', 'Skipped', 'KnownFail');
const whole = (least: number, most: number, clears: boolean) => ({
  wrong: [least - 1, most + 1, 1.5, '1', true, [1], {}, least - 0.5, 1e300],
  right: [least, most],
  clears,
});

describe('the fields of a body', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  let run: string;
  let result: string;
  before(async () => {
    run = (await givenRun(team.owner, team.project)).test_run_id;
    result = (await givenResult(team.owner, team.project, { test_run_id: run })).test_result_id;
  });

  const bodies: { name: string; send(body: object): Promise<Answer>; given(): object; fields: Fields }[] = [
    {
      name: 'POST /v1/projects',
      send: (body) => team.owner.post('/v1/projects', body),
      given: () => ({ name: 'A project' }),
      fields: { name: text(2, 255, false), description: text(0, 1_024, true) },
    },
    {
      name: 'PATCH /v1/projects/:id',
      send: (body) => team.owner.patch(`/v1/projects/${team.project}`, body),
      given: () => ({}),
      fields: {
        name: text(2, 255, false),
        description: text(0, 1_024, true),
        status: choice('active'),
      },
    },
    {
      name: 'POST /v1/keys',
      send: (body) => team.owner.post('/v1/keys', body),
      given: () => ({ name: 'A key', role: 'viewer' }),
      fields: { name: text(2, 255, false), role: choice('viewer', 'member', 'admin', 'owner') },
    },
    {
      name: 'POST /v1/teams',
      send: (body) => server.operator.post('/v1/teams', body),
      given: () => ({ name: 'A team' }),
      fields: { name: text(2, 255, false) },
    },
    {
      name: 'POST /run/',
      send: (body) => team.owner.post('/v1/test/run/', body),
      given: () => ({ project_id: team.project }),
      fields: { project_id: id, label: text(2, 255, true), metadata },
    },
    {
      name: 'POST /run/{test_run_id}',
      send: (body) => team.owner.post(`/v1/test/run/${run}`, body),
      given: () => ({}),
      fields: { label: text(2, 255, true), metadata, status: runStatus },
    },
    {
      name: 'POST /result/',
      send: (body) => team.owner.post('/v1/test/result/', body),
      given: () => ({ project_id: team.project, test_name: 'A test', status: 'Passed' }),
      fields: {
        project_id: id,
        test_name: text(2, 255, false),
        status: resultStatus,
        test_run_id: { ...id, clears: true },
        started_at: instant,
        metadata,
        attempt: whole(1, 1_000, false),
        retry_of: id,
      },
    },
    {
      name: 'POST /result/{test_result_id}',
      send: (body) => team.owner.post(`/v1/test/result/${result}`, body),
      given: () => ({}),
      fields: {
        status: resultStatus,
        error_message: text(0, 1_024, true),
        metadata,
        started_at: instant,
        finished_at: instant,
        execution_time_ms: whole(0, 2 ** 31 - 1, true),
      },
    },
    {
      name: 'POST /result/{test_result_id}/finish',
      send: (body) => team.owner.post(`/v1/test/result/${result}/finish`, body),
      given: () => ({}),
      fields: { status: resultStatus, error_message: text(0, 1_024, true), metadata },
    },
    {
      name: 'POST /result/{test_result_id}/start',
      send: (body) => team.owner.post(`/v1/test/result/${result}/start`, body),
      given: () => ({}),
      fields: {},
    },
    {
      name: 'POST /artifact/',
      send: (body) => team.owner.post('/v1/test/artifact/', body),
      given: () => ({ ...newArtifact, test_result_id: result }),
      fields: {
        test_result_id: id,
        label: text(1, 255, false),
        kind: choice('Log', 'Image', 'Video', 'Other'),
        content_type: {
          wrong: [1, '', 'image', 'imagepng', 'a/b\r\nX-Evil: 1', `a/${'b'.repeat(254)}`],
          right: ['text/plain; charset=utf-8'],
          clears: false,
        },
        size_bytes: whole(1, 104_857_600, false),
        test_step: text(0, 255, true),
        metadata,
      },
    },
  ];

  /** An update of a run has no answer of its own. */
  const recordOf = async ({ body }: Answer) =>
    body?.data ?? body ?? (await team.owner.get(`/v1/test/run/${run}`)).body;

  for (const { name, send, given, fields } of bodies) {
    for (const [field, { wrong, right, clears }] of Object.entries(fields)) {
      it(`${name}: refuses every invalid value of ${field}, names the field, and converts nothing`, async () => {
        for (const value of wrong) {
          const answer = await send({ ...given(), [field]: value });
          expect(answer.status, `${JSON.stringify(value)}: ${answer.text}`).to.equal(400);
          expect(pointers(answer)).to.deep.equal([`/${field}`]);
        }
      });

      it(`${name}: accepts every valid value of ${field}${clears ? ' and null' : ', and refuses null'}`, async () => {
        for (const value of right) {
          const answer = await send({ ...given(), [field]: value });
          expect(answer.status, `${JSON.stringify(value)}: ${answer.text}`).to.be.oneOf([200, 201, 204]);
          expect((await recordOf(answer))[field]).to.deep.equal(value);
        }
        const answer = await send({ ...given(), [field]: null });
        if (!clears) {
          expect(answer.status, answer.text).to.equal(400);
          expect(pointers(answer)).to.deep.equal([`/${field}`]);
          return;
        }
        expect(answer.status, answer.text).to.be.oneOf([200, 201, 204]);
        expect((await recordOf(answer))[field]).to.equal(null);
      });
    }

    it(`${name}: names every unknown field`, async () => {
      const unknown = ['nothing', 'Name', 'constructor', 'toString', '', ' ', 'id', 'created_at'];
      const body = JSON.stringify({ ...given(), ...Object.fromEntries(unknown.map((each) => [each, 1])) });
      // Written as text: JSON.stringify would leave out __proto__ of a literal.
      const answer = await send(JSON.parse(body.replace(/}$/, ',"__proto__":1}')));
      expect(answer.status, answer.text).to.equal(400);
      expect(pointers(answer)).to.have.members([...unknown, '__proto__'].map((each) => `/${each}`));
    });

    it(`${name}: names every missing field`, async () => {
      const required = Object.keys(given());
      const answer = await send({});
      if (required.length === 0) {
        expect(answer.status, answer.text).to.be.oneOf([200, 204]);
        return;
      }
      expect(answer.status, answer.text).to.equal(400);
      expect(pointers(answer)).to.have.members(required.map((field) => `/${field}`));
    });
  }
});

function pointers({ body }: Answer): string[] {
  const faults = (body.errors ?? body.error.details.errors) as { pointer: string }[];
  return [...new Set(faults.map(({ pointer }) => pointer))];
}
