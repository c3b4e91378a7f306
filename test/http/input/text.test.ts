import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { testServer } from '../../kit/server.js';

/** One code point, two UTF-16 units, four bytes in UTF-8. */
const astral = '𝄞';

type Field = {
  name: string;
  least: number;
  most: number;
  /** Sends the text; returns the text of the record. */
  send(text: string): Promise<{ answer: Answer; shown?: unknown }>;
};

describe('a text', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  let run: string;
  let result: string;
  before(async () => {
    run = (await givenRun(team.owner, team.project)).test_run_id;
    result = (await givenResult(team.owner, team.project)).test_result_id;
  });

  const posting =
    (path: () => string, field: string, more: () => object = () => ({}), sender = () => team.owner) =>
    async (text: string) => {
      const answer = await sender().post(path(), { ...more(), [field]: text });
      return { answer, shown: (answer.body?.data ?? answer.body)?.[field] };
    };

  const fields: Field[] = [
    { name: 'name of a new project', least: 2, most: 255, send: posting(() => '/v1/projects', 'name') },
    {
      name: 'description of a new project',
      least: 0,
      most: 1_024,
      send: posting(
        () => '/v1/projects',
        'description',
        () => ({ name: 'A project' }),
      ),
    },
    ...(['name', 'description'] as const).map((field) => ({
      name: `${field} of a changed project`,
      least: field === 'name' ? 2 : 0,
      most: field === 'name' ? 255 : 1_024,
      send: async (text: string) => {
        const answer = await team.owner.patch(`/v1/projects/${team.project}`, { [field]: text });
        return { answer, shown: answer.body?.data?.[field] };
      },
    })),
    {
      name: 'label of a new run',
      least: 2,
      most: 255,
      send: posting(
        () => '/v1/test/run/',
        'label',
        () => ({ project_id: team.project }),
      ),
    },
    {
      name: 'label of an updated run',
      least: 2,
      most: 255,
      send: async (label) => {
        const answer = await team.owner.post(`/v1/test/run/${run}`, { label });
        return { answer, shown: (await team.owner.get(`/v1/test/run/${run}`)).body.label };
      },
    },
    {
      name: 'test_name of a new result',
      least: 2,
      most: 255,
      send: posting(
        () => '/v1/test/result/',
        'test_name',
        () => ({ project_id: team.project, status: 'Passed' }),
      ),
    },
    {
      name: 'error_message of an updated result',
      least: 0,
      most: 1_024,
      send: posting(() => `/v1/test/result/${result}`, 'error_message'),
    },
    {
      name: 'error_message of a finished result',
      least: 0,
      most: 1_024,
      send: posting(() => `/v1/test/result/${result}/finish`, 'error_message'),
    },
    {
      name: 'name of a key',
      least: 2,
      most: 255,
      send: posting(
        () => '/v1/keys',
        'name',
        () => ({ role: 'viewer' }),
      ),
    },
    {
      name: 'name of a team',
      least: 2,
      most: 255,
      send: posting(
        () => '/v1/teams',
        'name',
        () => ({}),
        () => server.operator,
      ),
    },
  ];

  for (const { name, least, most, send } of fields) {
    const field = name.split(' ')[0]!;

    it(`can have ${least} to ${most} code points in the ${name}, and is returned unchanged`, async () => {
      for (const length of [least, most - 1, most]) {
        const text = astral.repeat(length);
        const { answer, shown } = await send(text);
        expect(answer.status, answer.text).to.be.oneOf([200, 201, 204]);
        expect(shown).to.equal(text);
      }
    });

    it(`is refused below ${least} and above ${most} code points in the ${name}, naming the field`, async () => {
      const wrong = [{ length: most + 1, code: 'too_long' }];
      for (let length = 0; length < least; length += 1) wrong.push({ length, code: 'too_short' });
      for (const { length, code } of wrong) {
        const { answer } = await send(astral.repeat(length));
        expect(answer.status, answer.text).to.equal(400);
        const faults = answer.body.errors ?? answer.body.error.details.errors;
        expect(faults).to.have.length(1);
        expect(faults[0]).to.include({ pointer: `/${field}`, code });
      }
    });

    it(`is neither trimmed nor normalised in the ${name}`, async () => {
      for (const text of ['  ', '\t\n\r', 'e\u0301', '\u00e9\u0301', '\u200b\ufeff']) {
        const { answer, shown } = await send(text);
        expect(answer.status, answer.text).to.be.oneOf([200, 201, 204]);
        expect(shown).to.equal(text);
      }
    });

    it(`is refused for a NUL or a lone surrogate in the ${name}, naming the field`, async () => {
      for (const text of ['a\0b', '\0\0', 'ab\ud800', '\udfffab', 'a\ud800\ud800\udfff']) {
        const { answer } = await send(text);
        expect(answer.status, answer.text).to.equal(400);
        const faults = answer.body.errors ?? answer.body.error.details.errors;
        expect(faults).to.deep.include({
          pointer: `/${field}`,
          code: 'not_text',
          detail: 'must not contain a NUL or a lone surrogate',
        });
      }
    });
  }
});
