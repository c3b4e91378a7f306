/** The API refuses a whole call for one odd value, so the importers mend it or leave it out. */
import { expect } from 'chai';
import type { ReportItem, RunFacts } from '../../../src/importers/entry.js';
import { limits } from '../../../src/limits.js';
import { loadSchemas } from '../../../src/validation/schemas.js';
import { entriesOf } from '../read-corpus.js';

const { check } = loadSchemas('requests', ['SubmitItem']).get('SubmitItem')!;

type Read = { items: ReportItem[]; warnings: string[]; facts: RunFacts };

async function read(report: string | object): Promise<Read> {
  const found: Read = { items: [], warnings: [], facts: {} };
  for (const entry of await entriesOf(typeof report === 'string' ? report : JSON.stringify(report))) {
    if (entry.type === 'result') found.items.push(entry.item);
    if (entry.type === 'warning') found.warnings.push(entry.code);
    if (entry.type === 'summary') found.facts = entry.summary.facts;
  }
  for (const item of found.items) expect(check(item), JSON.stringify(item).slice(0, 200)).to.deep.equal([]);
  expect(found.items).to.have.length(1);
  return found;
}

function ctrf(test: object, more: { root?: object; results?: object } = {}): object {
  const tests = [{ name: 'one', status: 'passed', duration: 1, ...test }];
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    ...more.root,
    results: { tool: { name: 'jest' }, ...more.results, tests },
  };
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value, 'x'] : { a: value };
  return value;
}

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

describe('importers: odd values', () => {
  it('become texts that the API takes, in annotations and tags of Playwright', async () => {
    const annotations = [{ type: 'issue', description: 'cut \ud83d' }, { type: 'a\0b' }];
    const spec = {
      title: 'one',
      tags: ['\ude00'],
      tests: [{ annotations, results: [{ status: 'passed', duration: 1 }] }],
    };
    const { items } = await read({ config: {}, suites: [{ title: 'a.ts', specs: [spec] }], errors: [] });
    expect(items[0]!.metadata).to.deep.include({
      tags: ['\ufffd'],
      annotations: [{ type: 'issue', description: 'cut \ufffd' }, { type: 'a\ufffdb' }],
    });
  });

  it('become texts that the API takes, in labels, tags and parameters of CTRF', async () => {
    const labels = { 'a\0': 'b\0', __proto__x: '\ud83d' };
    const { items } = await read(ctrf({ labels, tags: ['\ud83d'], parameters: { p: ['\0'] } }));
    expect(items[0]!.metadata).to.deep.include({
      labels: { 'a\ufffd': 'b\ufffd', __proto__x: '\ufffd' },
      tags: ['\ufffd'],
      parameters: { p: ['\ufffd'] },
    });
  });

  it('are cut between characters, in properties of JUnit and of .NET', async () => {
    const long = `${'x'.repeat(2_047)}😀 tail`;
    const kept = 'x'.repeat(2_047);
    const junit = `<testsuite name="u"><testcase name="one"><properties><property name="p" value="${long}"/></properties></testcase></testsuite>`;
    expect((await read(junit)).items[0]!.metadata).to.deep.include({ properties: { p: kept } });
    const nunit = `<test-run><test-case name="one" result="Passed"><properties><property name="Category" value="${long}"/></properties></test-case></test-run>`;
    // The beginning of a tag is another tag.
    expect((await read(nunit)).items[0]).to.not.have.property('metadata');
    const xunit = `<assemblies><assembly name="a"><collection><test name="one" result="Pass"><traits><trait name="t" value="${long}"/></traits></test></collection></assembly></assemblies>`;
    expect((await read(xunit)).items[0]!.metadata).to.deep.include({ traits: { t: [kept] } });
  });

  it('are left out below the levels and beyond the number that metadata may have, with a warning', async () => {
    const deep = await read(ctrf({ parameters: nested(40) }));
    expect(deep.warnings).to.deep.equal(['cut_metadata']);
    expect(levelsOf(deep.items[0]!.metadata)).to.equal(limits.metadataLevels);
    const many = await read(
      ctrf({ labels: Array(4_000).fill(1), tags: Array(4_000).fill(2), type: Array(4_000).fill(3) }),
    );
    expect(many.warnings).to.deep.equal(['cut_metadata']);
    expect(levelsOf((await read(ctrf({ parameters: nested(31) }))).items[0]!.metadata)).to.equal(32);
  });

  it('are no start of a result or of a run that lies more than a day ahead, with a warning', async () => {
    const junit = await read(
      '<testsuite name="u" timestamp="2999-01-01T00:00:00Z"><testcase name="one" time="1"/></testsuite>',
    );
    expect(junit.facts).to.not.have.property('started_at');
    expect(junit.warnings).to.deep.equal(['bad_time']);
    const late = Date.UTC(2999, 0);
    const { items, facts, warnings } = await read(
      ctrf({ start: late }, { results: { summary: { start: late, stop: late + 1 } } }),
    );
    expect(items[0]).to.not.have.property('started_at');
    expect(Object.keys(facts)).to.deep.equal(['tool']);
    expect(warnings).to.deep.equal(['bad_time']);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    expect((await read(ctrf({ start: soon }))).items[0]!.started_at).to.equal(soon);
  });

  it('are no key, branch or shard of a run, with a warning', async () => {
    const odd = await read(
      ctrf(
        {},
        {
          root: { runId: 'r'.repeat(300), shardId: '0/4' },
          results: { environment: { branchName: 'b'.repeat(70_000), commit: 'c\0\ud83d' } },
        },
      ),
    );
    expect(odd.facts).to.deep.equal({ tool: 'jest', commit: 'c\ufffd\ufffd' });
    expect(odd.warnings).to.deep.equal(['bad_run_fact']);
    for (const shardId of ['5/3', '0/0', '1/9999'])
      expect((await read(ctrf({}, { root: { shardId } }))).facts, shardId).to.not.have.property('shard');
    expect((await read(ctrf({}, { root: { shardId: '2/4' } }))).facts.shard).to.deep.equal({
      index: 2,
      total: 4,
    });
  });

  it('are a label of 2 to 255 characters, or none', async () => {
    const labelled = async (reportName: string) =>
      read(ctrf({}, { results: { environment: { reportName } } }));
    expect((await labelled('x')).facts).to.not.have.property('label');
    expect((await labelled('x')).warnings).to.deep.equal(['bad_run_fact']);
    expect((await labelled('a\0b')).facts.label).to.equal('a\ufffdb');
    const long = await labelled('😀'.repeat(300));
    expect(long.facts.label).to.equal(`${'😀'.repeat(254)}…`);
    expect(long.warnings).to.deep.equal(['cut_text']);
    expect((await labelled('😀'.repeat(255))).facts.label).to.equal('😀'.repeat(255));
  });

  it('takes little time for a browser of any length', async () => {
    const browser = `chrome${' '.repeat(256 * 1_024)}x`;
    const test = { name: 'one', status: 'passed', duration: 1, browser };
    const began = performance.now();
    const { items } = await read({ results: { tool: { name: 't' }, summary: {}, tests: [test] } });
    expect(performance.now() - began).to.be.below(2_000);
    expect(items).to.have.length(1);
  });
});
