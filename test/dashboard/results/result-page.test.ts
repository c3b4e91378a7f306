import { expect } from 'chai';
import { sortedArtifacts, type ArtifactRecord } from '../../../src/dashboard/pages/result/sort-artifacts.js';
import { givenArtifact } from '../../http/given.js';
import { testServer } from '../../kit/server.js';
import { failure } from './cart-failure.js';
import type { Opening } from '../open-page.js';
import { givenShop } from './shop.js';
import { attributeOf, elementsIn, intruders, linksIn, textIn, textOf } from '../html.js';

describe('the page of a result', () => {
  const server = testServer();
  const { team, ran, open } = givenShop(server);

  it('says what failed, since when, where else, how it differs, and folds the frames of libraries', async () => {
    await ran('main', [{ ...failure, status: 'passed' }]);
    const first = await ran('main', [failure]);
    await ran('side', [failure, { ...failure, name: 'cart › removes a shoe' }]);
    const { results } = await ran('main', [
      { ...failure, attempt: 1 },
      { ...failure, attempt: 2, status: 'failed' },
    ]);
    const { html } = await open(`/results/${results[1]}`);
    expect(intruders(html)).to.deep.equal([]);
    expect(textIn(html, 'h1')).to.equal('cart › adds a shoe');
    const facts = textIn(html, 'dl');
    for (const fact of ['failed', '900 ms', 'abc', 'side', 'test/cart.test.ts:7'])
      expect(facts).to.contain(fact);
    expect(linksIn(html)).to.include(`/teams/${team.id}/runs/${first.run}`);
    // Each attempt is a link of its own.
    expect(linksIn(html)).to.include.members(results.map((id) => `/teams/${team.id}/results/${id}`));
    const blocks = textIn(html, 'pre');
    expect(blocks).to.contain('expected 2 to be 3');
    expect(blocks).to.contain('− b').and.to.contain('+ c');
    const folded = elementsIn(html).find((each) => attributeOf(each, 'class') === 'frames');
    expect(textOf(folded!)).to.contain('node_modules/mocha').and.not.to.contain('src/cart.ts');
    // Runs with the same error are named by what they were of.
    expect(textIn(html, 'tbody')).to.match(/CI side.*side.*abc/s);
  });

  it('shows the links of the test, and its steps as a tree with the one that failed', async () => {
    const steps = [
      { name: 'open', duration_ms: 12, steps: [{ name: 'log in' }] },
      {
        name: 'pay',
        status: 'failed',
        steps: [{ name: 'check <price>', status: 'failed', error: 'expected 2 to be 3' }],
      },
      { name: 'leave', status: 'skipped' },
    ];
    const links = [{ name: 'BUG-1', url: 'https://bugs.example/1' }];
    const metadata = { steps, steps_left_out: 3, links };
    const { results } = await ran('steps', [{ name: 'pays', status: 'failed', metadata }]);
    const { html } = await open(`/results/${results[0]}`);
    expect(intruders(html)).to.deep.equal([]);
    expect(linksIn(html)).to.include('https://bugs.example/1');
    const tree = elementsIn(html).find((each) => attributeOf(each, 'class') === 'panel steps')!;
    expect(textOf(tree)).to.contain('check <price>').and.to.contain('3 more steps are left out');
    const failed = elementsIn(html).filter((each) => /failed-step/.test(attributeOf(each, 'class') ?? ''));
    expect(failed.map((each) => textOf(each).trim())).to.deep.equal(['✗failed check <price>']);
    // The error names it, and leads to it.
    expect(textIn(html, 'p')).to.contain('In the step pay › check <price>');
    expect(linksIn(html)).to.include('#failed-step');
    expect(elementsIn(html).filter((each) => attributeOf(each, 'id') === 'failed-step')).to.have.length(1);
    const { reply } = await open(`/results/${results[0]}.md`);
    expect((reply as { text: string }).text).to.contain('- Failed step: pay › check ');
    const wild = { steps: [null, { name: 7 }, { name: 'x', steps: 'no', status: 1 }], links: 'no' };
    const other = await ran('steps', [{ name: 'pays', metadata: wild }]);
    const page = await open(`/results/${other.results[0]}`);
    expect(
      textOf(elementsIn(page.html).find((each) => attributeOf(each, 'class') === 'panel steps')!),
    ).to.contain('x');
  });

  it('says the first line of an error once, where the stack begins with it', async () => {
    const error = {
      message: 'Error: no shoe\nCall log: none',
      stack: 'Error: no shoe\n    at buy (src/cart.ts:7:1)',
    };
    const { results } = await ran('once', [{ name: 'buys', status: 'failed', metadata: { error } }]);
    const blocks = textIn((await open(`/results/${results[0]}`)).html, 'pre');
    expect(blocks.split('no shoe')).to.have.length(2);
    expect(blocks).to.contain('at buy (src/cart.ts:7:1)');
  });

  it('has the attempts, the usual duration and the share of failures of its own environment', async () => {
    const name = 'paints';
    const [chromium, webkit] = ['chromium', 'webkit'].map((each) => ({
      metadata: { environment: { project: each } },
    }));
    const pass = (duration_ms: number, more: object = {}) => ({ name, duration_ms, ...more });
    for (let n = 0; n < 3; n += 1) await ran('envs', [pass(100, chromium), pass(90_000, webkit)]);
    const { results } = await ran('envs', [
      { name, status: 'failed', ...webkit },
      { name, status: 'failed', attempt: 1, ...chromium },
      pass(100, { attempt: 2, ...chromium }),
    ]);
    const json = async (id: string) => {
      const { reply } = await open(`/results/${id}.json`);
      return JSON.parse((reply as { text: string }).text);
    };
    const [onWebkit, onChromium] = [await json(results[0]!), await json(results[1]!)];
    const ids = ({ attempts }: any) => attempts.map(({ result_id }: any) => result_id);
    expect([ids(onWebkit), ids(onChromium)]).to.deep.equal([[results[0]], results.slice(1)]);
    expect([onWebkit.usual_duration_ms.p50, onChromium.usual_duration_ms.p50]).to.deep.equal([90_000, 100]);
    // The state is that of the test on every page; the share is that of the place of this result.
    for (const { test } of [onWebkit, onChromium])
      expect(test).to.deep.include({ status: 'flaky', environment_key: 'project=chromium' });
    expect([onWebkit.test.failure_rate, onChromium.test.failure_rate]).to.deep.equal([0.25, 0.2]);
    const { reply: md } = await open(`/results/${results[0]}.md`);
    const { text } = md as { text: string };
    expect(text).to.contain(
      '- State of the test: flaky in project=chromium, fails 25 % of its last 4 outcomes in project=webkit\n',
    );
    expect(text).to.contain('usually 1m 30s').and.to.not.contain('- Attempts');
    const { html } = await open(`/results/${results[0]}`);
    expect(textIn(html, 'dl')).to.contain('fails 25 % of its last 4 outcomes in project=webkit');
    expect(linksIn(html)).to.not.include(`/teams/${team.id}/results/${results[1]}`);
  });

  it('says first in words since when it fails and where else, and what to do stands in its head', async () => {
    const cup = { name: 'cups › fills', status: 'failed', error_message: 'no cup' };
    for (let n = 0; n < 3; n += 1) await ran('verdict', [{ ...cup, status: 'passed' }]);
    await ran('verdict-side', [cup]);
    const { results } = await ran('verdict', [cup]);
    const verdictOf = async (id: string) => {
      const { html } = await open(`/results/${id}`);
      const [verdict] = elementsIn(html).filter((each) => attributeOf(each, 'class') === 'verdict');
      expect(linksIn(html)).to.include('#known-reason');
      return textOf(verdict!).replaceAll(/\s+/gu, ' ').trim();
    };
    expect(await verdictOf(results[0]!)).to.equal(
      'Fails since this run; 3 of 3 passed before. Also on verdict-side.',
    );
    const again = await ran('verdict', [cup]);
    expect(await verdictOf(again.results[0]!)).to.match(/^Fails since .+ \(abc\)\. Also on verdict-side\.$/);
    const first = await ran('verdict-first', [{ ...cup, name: 'cups › breaks' }]);
    expect(await verdictOf(first.results[0]!)).to.equal(
      'Fails since this run; it never passed on this branch.',
    );
  });

  it('lists the failures of its run beside it, at most 50 of them, and leads to those around it', async () => {
    const many = Array.from({ length: 230 }, (_, n) => ({
      name: `${n} ${'long '.repeat(40)}`,
      status: n % 10 === 9 ? 'passed' : 'failed',
    }));
    const { run, results } = await ran('triage', many);
    const failures = results.filter((_, n) => n % 10 !== 9).map((id) => `/teams/${team.id}/results/${id}`);
    const at = async (n: number) => {
      const { html } = await open(failures[n]!.slice(`/teams/${team.id}`.length));
      const [nav] = elementsIn(html).filter((each) => attributeOf(each, 'class') === 'triage');
      const links = elementsIn(html).filter(({ tagName }) => tagName === 'a');
      const steps = ['prev', 'next'].map((rel) => {
        const link = links.find((each) => attributeOf(each, 'rel') === rel);
        return link === undefined ? null : attributeOf(link, 'href');
      });
      const listed = linksIn(html).filter((link) => failures.includes(link));
      return { text: textOf(nav!), steps, listed: new Set(listed), html };
    };
    const first = await at(0);
    expect(first.text).to.contain('1 of 207');
    expect(first.steps).to.deep.equal([null, failures[1]]);
    expect([...first.listed]).to.have.members(failures.slice(0, 50));
    expect(linksIn(first.html)).to.include(`/teams/${team.id}/runs/${run}/results?q=status%3Afailed`);
    // The neighbour is on another page of the list.
    expect((await at(49)).steps).to.deep.equal([failures[48], failures[50]]);
    const next = await at(50);
    expect(next.text).to.contain('51 of 207');
    expect(next.steps).to.deep.equal([failures[49], failures[51]]);
    expect([...next.listed]).to.include.members(failures.slice(51, 100));
    expect((await at(206)).steps).to.deep.equal([failures[205], null]);
  });

  it('has no such list for what passed, nor for the only failure of its run', async () => {
    const { results } = await ran('alone', [failure, { name: 'passes', status: 'passed' }]);
    for (const id of results) expect((await open(`/results/${id}`)).html).to.not.contain('class="triage"');
  });

  it('is there as Markdown and as JSON, the failure first', async () => {
    const { results } = await ran('text', [failure]);
    const { reply: md } = await open(`/results/${results[0]}.md`);
    expect(md).to.deep.include({ type: 'text/markdown' });
    const { text } = md as { text: string };
    expect(text).to.match(/^# cart › adds a shoe\n\n- Status: failed, attempt 1\n/);
    expect(text).to.contain('- File: test/cart.test.ts:7\n');
    const address = `http://ledger.example/teams/${team.id}/results/${results[0]}`;
    expect(text).to.contain(address);
    expect((await open(`/results/${results[0]}`)).html).to.contain(
      `data-from="/teams/${team.id}/results/${results[0]}.md" data-label="Copy as Markdown"`,
    );
    const { reply: json } = await open(`/results/${results[0]}.json`);
    const { result, run } = JSON.parse((json as { text: string }).text);
    expect(result).to.deep.include({ id: results[0], status: 'failed' });
    expect(result.error.message).to.equal('expected 2 to be 3');
    expect(run).to.deep.include({ branch: 'text', commit: 'abc' });
  });

  it('shows pictures and logs in the page, and leads to HTML, SVG and archives as downloads only', async () => {
    const { results } = await ran('files', [failure]);
    const made = [
      ['a-expected.png', 'image/png'],
      ['a-actual.png', 'image/png'],
      ['out.txt', 'text/plain'],
      ['report.html', 'text/html'],
      ['icon.svg', 'image/svg+xml'],
    ] as const;
    const ids = new Map<string, string>();
    for (const [label, content_type] of made) {
      const { artifact_id } = await givenArtifact(team.owner, results[0]!, 'bytes', { label, content_type });
      ids.set(label, `/teams/${team.id}/artifacts/${artifact_id}`);
    }
    const { html } = await open(`/results/${results[0]}`);
    const sources = elementsIn(html).flatMap((element) => attributeOf(element, 'src') ?? []);
    expect(sources).to.include.members([ids.get('a-expected.png'), ids.get('a-actual.png')]);
    expect(sources).not.to.include.members([ids.get('icon.svg')]);
    const [log] = elementsIn(html).filter(({ tagName }) => tagName === 'log-view');
    expect(attributeOf(log!, 'data-src')).to.equal(ids.get('out.txt'));
    for (const label of ['report.html', 'icon.svg']) {
      const links = elementsIn(html).filter((element) => attributeOf(element, 'href') === ids.get(label));
      expect(links.map((link) => attributeOf(link, 'download'))).to.deep.equal(['']);
    }
    expect(html).not.to.contain('?open=1');
  });

  it('leads to the file itself by a URL that was signed just now, on this server or on the origin apart', async () => {
    const { results } = await ran('signed', [failure]);
    const fields = { label: 'report.html', content_type: 'text/html' };
    const { artifact_id } = await givenArtifact(team.owner, results[0]!, 'bytes', fields);
    const path = `/artifacts/${artifact_id}`;
    const files = { origin: null, untrustedOrigin: 'https://files.example' };
    const to = async (where: string, more: Partial<Opening> = {}) =>
      ((await open(where, more)).reply as { redirect: string }).redirect;
    const own = await to(path, { files });
    expect(own).to.match(new RegExp(`^/v1/blobs/${team.id}/${artifact_id}/`));
    const answer = await fetch(server.url + own);
    expect([answer.status, answer.headers.get('content-disposition')?.slice(0, 10)]).to.deep.equal([
      200,
      'attachment',
    ]);
    expect(await to(`${path}?open=1`, { files })).to.match(/^https:\/\/files\.example\/v1\/blobs\//);
    expect(await to(`${path}?open=1`)).to.match(/^\/v1\/blobs\//);
    const { html } = await open(`/results/${results[0]}`, { files });
    expect(linksIn(html)).to.include(`/teams/${team.id}${path}?open=1`);
  });

  it('leads a trace into its viewer at the origin apart, and says what to do where there is none', async () => {
    const { results } = await ran('traced', [failure]);
    const fields = { label: 'trace.zip', content_type: 'application/zip' };
    const { artifact_id } = await givenArtifact(team.owner, results[0]!, 'bytes', fields);
    const files = { origin: null, untrustedOrigin: 'https://files.example' };
    const path = `/artifacts/${artifact_id}?viewer=1`;
    const { redirect } = (await open(path, { files })).reply as { redirect: string };
    const { origin, pathname, searchParams } = new URL(redirect);
    expect([origin, pathname]).to.deep.equal(['https://files.example', '/trace-viewer/index.html']);
    expect(searchParams.get('trace')).to.match(/^https:\/\/files\.example\/v1\/blobs\/.+&signature=/);
    expect(linksIn((await open(`/results/${results[0]}`, { files })).html)).to.include(
      `/teams/${team.id}${path}`,
    );
    const { html } = await open(`/results/${results[0]}`);
    expect(html).to.not.include('?viewer=1');
    // A viewer can set no variable of the server.
    expect(html).to.include('npx playwright show-trace').and.not.include('ARTIFACTS_ORIGIN');
    const inBucket = { origin: 'https://bucket.example', untrustedOrigin: null };
    const ofBucket = (await open(`/results/${results[0]}`, { files: inBucket })).html;
    expect(ofBucket).to.include('npx playwright show-trace').and.not.include('?viewer=1');
    expect(((await open(path)).reply as { redirect: string }).redirect).to.match(/^\/v1\/blobs\//);
  });
});

describe('the artifacts of a result', () => {
  const artifact = (label: string, content_type: string) => ({ label, content_type }) as ArtifactRecord;
  const kinds = (label: string, content_type: string) =>
    Object.entries(sortedArtifacts([artifact(label, content_type)])).flatMap(([kind, all]) =>
      all.length === 0 ? [] : kind,
    );

  it('are shown by their content type alone, never by what their name says', () => {
    expect(kinds('a.png', 'text/html')).to.deep.equal(['untrusted']);
    expect(kinds('a.html', 'image/png')).to.deep.equal(['images']);
    expect(kinds('a.png', 'image/svg+xml')).to.deep.equal(['untrusted']);
    expect(kinds('a', 'TEXT/HTML; charset=utf-8')).to.deep.equal(['untrusted']);
    expect(kinds('a', 'image/png"><b>')).to.deep.equal(['others']);
    expect(kinds('trace.zip', 'application/zip')).to.deep.equal(['traces']);
    expect(kinds('a.zip', 'application/zip')).to.deep.equal(['others']);
    expect(kinds('a', 'text/javascript')).to.deep.equal(['others']);
  });

  it('are compared where an expected and an actual picture have one name', () => {
    const [expected, actual, diff, other] = ['a-expected.png', 'a-actual.png', 'a-diff.png', 'b.png'].map(
      (label) => artifact(label, 'image/png'),
    );
    const { triples, images } = sortedArtifacts([other!, diff!, actual!, expected!]);
    expect(triples).to.deep.equal([{ name: 'a.png', expected, actual, diff }]);
    expect(images).to.deep.equal([other]);
    expect(sortedArtifacts([expected!]).triples).to.deep.equal([]);
  });
});
