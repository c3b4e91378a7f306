import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../../kit/any-text.js';
import { givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { testServer } from '../../kit/server.js';

const MOST_LEVELS = 32;

describe('metadata', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  let run: string;
  let result: string;
  before(async () => {
    run = (await givenRun(team.owner, team.project)).test_run_id;
    result = (await givenResult(team.owner, team.project, { test_run_id: run })).test_result_id;
  });
  /** Sent as text, since a literal cannot express all of JSON. */
  const send = (path: string, json: string, more = {}) => {
    const rest = JSON.stringify(more).slice(1);
    return team.owner.send({
      method: 'POST',
      path: `/v1/test/${path}`,
      content: `{"metadata":${json}${rest === '}' ? '' : ','}${rest}`,
    });
  };

  /** Each way to send metadata, with the text of the GET that reads it back. */
  const ways: Record<string, (json: string) => Promise<{ status: number; read(): Promise<string> }>> = {
    'a new run': async (json) => {
      const answer = await send('run/', json, { project_id: team.project });
      return { ...answer, read: () => text(`run/${answer.body.test_run_id}`) };
    },
    'an updated run': async (json) => ({
      ...(await send(`run/${run}`, json)),
      read: () => text(`run/${run}`),
    }),
    'a new result': async (json) => {
      const more = { project_id: team.project, test_name: 'A test', status: 'Passed' };
      const answer = await send('result/', json, more);
      return { ...answer, read: () => text(`result/${answer.body.test_result_id}`) };
    },
    'an updated result': async (json) => ({
      ...(await send(`result/${result}`, json)),
      read: () => text(`result/${result}`),
    }),
    'a finished result': async (json) => ({
      ...(await send(`result/${result}/finish`, json)),
      read: () => text(`result/${result}`),
    }),
  };
  const text = async (path: string) => (await team.owner.get(`/v1/test/${path}`)).text;

  for (const [name, way] of Object.entries(ways)) {
    it(`of ${name} are returned equal, whatever their keys`, async () => {
      const json =
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"$where":"1","a.b":{"$gt":1},"":0,' +
        '"é":"e\u0301","𝄞":[null,true,-1.5e-7,1e21,12345678901234567890],"toString":{},"hasOwnProperty":1,' +
        '"position":"x","team_id":"y","\\u0001\\n":"\\u007f\u2028","0":[[],{}],' +
        `"deep":${'['.repeat(MOST_LEVELS - 1)}1${']'.repeat(MOST_LEVELS - 1)},"long":"${'x'.repeat(1_000)}"}`;
      const { status, read } = await way(json);
      expect(status).to.be.oneOf([200, 204]);
      const read1 = JSON.parse(await read()).metadata;
      // As text too: a comparison of properties would miss a changed prototype.
      expect(sorted(read1)).to.equal(sorted(JSON.parse(json)));
      expect(({} as any).polluted).to.equal(undefined);
    });
  }

  it('of any JSON are returned equal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue({ maxDepth: 5 })),
        async (value) => {
          const json = JSON.stringify(value);
          fc.pre(!/\\u0000|\\ud[89a-f]/.test(json));
          const { test_run_id, metadata } = await givenRun(team.owner, team.project, {
            metadata: JSON.parse(json),
          });
          expect(sorted(metadata)).to.equal(sorted(value));
          expect(sorted(JSON.parse(await text(`run/${test_run_id}`)).metadata)).to.equal(sorted(value));
        },
      ),
      { numRuns: 100, seed: 4 },
    );
  });
});

/** JSON text with its names in a fixed order. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${sorted((value as any)[name])}`).join()}}`;
}
