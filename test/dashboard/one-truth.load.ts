import { expect } from 'chai';
import { filledDemo } from '../demo/filled-demo.js';
import { claimsInHtml, claimsInJson, claimsInMarkdown, type Claim } from './claims.js';
import { attributeOf, elementsIn } from './html.js';
import { visit, type Visitor } from './shown-page.js';

/** Of each kind of page. */
const MOST = 60;
const kinds: readonly RegExp[] = [
  /^\/teams\/[^/]+$/u,
  /^\/teams\/[^/]+\/projects\/[^/]+$/u,
  /\/projects\/[^/]+\/(?:tests|failures)$/u,
  /\/failures\/[^/]+$/u,
  /\/tests\/[^/]+$/u,
  /\/runs\/[^/]+$/u,
  /\/runs\/[^/]+\/(?:results|failures|compare)$/u,
  /\/results\/[^/]+$/u,
];

describe('the pages of the demo', () => {
  const given = filledDemo();
  let as: Visitor;
  before(() => {
    const { key, team } = given.demo;
    as = { api: given.server.as(key), team };
  });

  it('name one state, one time and one count for each run, test, result and cause, in all formats', async () => {
    const said = new Map<string, Map<string, string[]>>();
    const add = (claims: readonly Claim[], page: string) => {
      for (const { thing, value } of claims) {
        const values = said.get(thing) ?? new Map<string, string[]>();
        said.set(thing, values.set(value, [...(values.get(value) ?? []), page]));
      }
    };
    const visited = await crawl(`/teams/${as.team}`, async (path, html) => {
      add(claimsInHtml(path, elementsIn(html)), path);
      if (!/\/(?:runs|results|tests)\/[^/]+$/u.test(path)) return;
      const json = await textAt(`${path}.json`);
      add(claimsInJson(`${path}.json`, json), `${path}.json`);
      const test: string | null = JSON.parse(json).test?.id ?? null;
      add(claimsInMarkdown(`${path}.md`, await textAt(`${path}.md`), test), `${path}.md`);
    });
    for (const kind of kinds)
      expect(
        visited.some((path) => kind.test(path)),
        String(kind),
      ).to.equal(true);
    const twice = [...said].filter(([thing, values]) => values.size > 1 && !thing.endsWith(': moment'));
    const lines = twice.map(([thing, values]) =>
      [thing, ...[...values].map(([value, on]) => `  ${value}: ${on.slice(0, 3).join(' ')}`)].join('\n'),
    );
    expect(lines.join('\n')).to.equal('');
    for (const [thing, values] of said) {
      const run = /^run (.*): moment$/u.exec(thing)?.[1];
      if (run === undefined) continue;
      const { started_at, finished_at } = (await as.api.get(`/v1/test-runs/${run}`)).body.data;
      const outside = [...values].filter(([at]) => at < started_at || at > (finished_at ?? at));
      expect(outside, `${thing}, ${started_at} to ${finished_at}`).to.deep.equal([]);
    }
    // Otherwise nothing was compared with anything.
    const compared = (aspect: string) =>
      [...said].filter(([thing, values]) => thing.endsWith(aspect) && [...values.values()].flat().length > 1)
        .length;
    for (const aspect of [
      'time',
      'failed',
      'passed',
      'verdict',
      'status',
      'state',
      'fails',
      'tests',
      'runs',
      'since',
      'last',
    ])
      expect(compared(`: ${aspect}`), aspect).to.be.above(5);
  });

  /** Goes to the pages that are linked, the first ones of each kind. Returns the paths of all. */
  async function crawl(start: string, see: (path: string, html: string) => Promise<void>): Promise<string[]> {
    const queue = [start];
    const seen = new Map([[start, '']]);
    const left = new Map(kinds.map((kind) => [kind, MOST]));
    const dead: string[] = [];
    for (const path of queue) {
      const html = await visit(path, as).then(
        (shown) => shown.html,
        (error: Error) => void dead.push(`${path}, linked on ${seen.get(path)}: ${error.message}`),
      );
      if (html === undefined) continue;
      await see(path, html);
      for (const element of elementsIn(html)) {
        const [next = ''] = (attributeOf(element, 'href') ?? '').split(/[?#]/u);
        const kind = kinds.find((each) => each.test(next));
        if (element.tagName !== 'a' || kind === undefined || seen.has(next) || /\.(?:md|json)$/u.test(next))
          continue;
        if (left.get(kind) === 0) continue;
        left.set(kind, left.get(kind)! - 1);
        seen.set(next, path);
        queue.push(next);
      }
    }
    expect(dead.join('\n'), 'dead links').to.equal('');
    return queue;
  }

  async function textAt(path: string): Promise<string> {
    const { reply } = await visit(path, as);
    return 'text' in reply ? reply.text : '';
  }
});
