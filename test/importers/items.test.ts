import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import type { ImportOptions, ReportItem, ReportSummary } from '../../src/importers/entry.js';
import { codeOwners } from '../../src/importers/code-owners.js';
import { loadSchemas } from '../../src/validation/schemas.js';
import { corpus, entriesOf, entriesOfFile, outcomeOf } from './read-corpus.js';

async function itemsOf(file: string, options: ImportOptions = {}): Promise<ReportItem[]> {
  return (await entriesOfFile(file, options)).flatMap((entry) =>
    entry.type === 'result' ? [entry.item] : [],
  );
}

async function summaryOf(file: string): Promise<ReportSummary> {
  const last = (await entriesOfFile(file)).at(-1);
  if (last?.type !== 'summary') throw new Error('The last entry is no summary.');
  return last.summary;
}

describe('importers: items', () => {
  it('have a form that the API takes, in every file of the corpus', async () => {
    const { check } = loadSchemas('requests', ['SubmitItem']).get('SubmitItem')!;
    let checked = 0;
    for (const folder of await readdir(corpus)) {
      for (const file of await readdir(new URL(`${folder}/`, corpus))) {
        if ((await outcomeOf(`${folder}/${file}`))[0]?.startsWith('error ') === true) continue;
        for (const item of await itemsOf(`${folder}/${file}`)) {
          expect(check(item), `${file}: ${item.name}`).to.deep.equal([]);
          checked += 1;
        }
      }
    }
    expect(checked).to.be.at.least(120);
  });

  it('have the stack of the failure in NUnit, and the reason of a skip', async () => {
    const [failed, skipped] = await itemsOf('nunit/assertions.xml');
    expect(failed?.metadata?.['error']).to.deep.equal({
      stack: 'at Acme.T.Fails() in T.cs:line 7\nat Acme.T.Fails() in T.cs:line 8',
    });
    expect(skipped?.metadata).to.include({ reason: 'later' });
  });

  it('have the escaped references of a failure as they are, beside one to an illegal character', async () => {
    const [failed] = await itemsOf('junit/escaped-references.xml');
    expect(failed?.metadata?.['error']).to.include({ stack: 'text &#39;it&#x27;s&#160; \ufffd &#0;' });
  });

  it('have file, line, suite and error in their metadata', async () => {
    expect((await itemsOf('junit/pytest-xunit1.xml'))[0]?.metadata).to.deep.equal({
      file: 'tests/test_a.py',
      line: 12,
      suite: 'pytest',
    });
    expect((await itemsOf('junit/catch2.xml'))[0]?.metadata).to.deep.equal({
      file: 'src/f.cpp',
      line: 12,
      suite: 'exe',
      error: { type: 'REQUIRE', stack: 'FAILED: REQUIRE( factorial(0) == 1 )' },
    });
    expect((await itemsOf('junit/cypress.xml')).map(({ metadata }) => metadata?.file)).to.deep.equal([
      'cypress/e2e/a.cy.js',
      'cypress/e2e/b.cy.js',
    ]);
    expect((await itemsOf('junit/mocha-jenkins-mode.xml'))[0]?.metadata?.file).to.equal('test/calc.js');
    expect((await itemsOf('junit/gtest.xml'))[0]?.metadata?.value_param).to.equal('(1, 2)');
  });

  it('name the hook that failed', async () => {
    const hooks = async (file: string): Promise<unknown[]> =>
      (await itemsOf(file)).map(({ metadata }) => (metadata?.error as { hook?: string } | undefined)?.hook);
    expect(await hooks('junit/pytest-phases.xml')).to.deep.equal(['teardown', 'setup', undefined, undefined]);
    expect(await hooks('junit/mocha-hook.xml')).to.deep.equal(['"before each" hook']);
    expect(await hooks('junit/suite-error.xml')).to.deep.equal(['suite']);
    expect(await hooks('nunit/one-time-hooks.xml')).to.deep.equal([
      undefined,
      'TearDown',
      'OneTimeSetUp',
      'suite',
    ]);
    expect(await hooks('playwright/global-error.json')).to.deep.equal(['suite']);
  });

  it('keep every failure of a case', async () => {
    const [all, three] = await itemsOf('junit/several-outcomes.xml');
    expect(all?.metadata?.error).to.deep.equal({ stack: 'one\n\nE: second\ntwo' });
    expect(three?.metadata?.error).to.deep.equal({ stack: 'b\n\nc' });
  });

  it('have the properties of a case, its owner and its reason', async () => {
    expect((await itemsOf('junit/attachments.xml'))[0]?.metadata).to.deep.include({
      owner: '@acme/web',
      properties: { issue: ['A-1', 'A-2'] },
    });
    expect((await itemsOf('junit/pytest-phases.xml'))[2]?.metadata?.reason).to.equal('bug 7');
    expect((await itemsOf('ctrf/statuses.json')).map(({ metadata }) => metadata?.raw_status)).to.deep.equal([
      'pending',
      'blocked',
      undefined,
      undefined,
    ]);
  });

  it('have an owner by their file, with the prefix of a package', async () => {
    const options = { pathPrefix: 'packages/api', ownerOf: codeOwners('/packages/api/ @acme/api') };
    expect((await itemsOf('junit/pytest-xunit1.xml', options))[0]?.metadata).to.include({
      file: 'packages/api/tests/test_a.py',
      owner: '@acme/api',
    });
    expect((await itemsOf('junit/attachments.xml', options))[0]?.metadata?.owner).to.equal('@acme/web');
  });

  it('have the whole of a long name in their metadata', async () => {
    const [long] = await itemsOf('junit/long-name.xml');
    expect(long?.metadata?.full_name).to.equal(`s › ${'é'.repeat(300)}1`);
  });

  it('fit into the bounds of metadata, with the beginning and the end of the stack', async () => {
    const stack = `first\n${'"quoted" line\n'.repeat(8_000)}last`;
    const properties = Array.from(
      { length: 60 },
      (_, n) => `<property name="p${n}" value="${'v'.repeat(900)}"/>`,
    ).join('');
    const entries = await entriesOf(
      `<testsuite name="s"><testcase name="t"><properties>${properties}</properties><failure message="${'m'.repeat(200_000)}"><![CDATA[${stack}]]></failure></testcase></testsuite>`,
    );
    const [result] = entries;
    if (result?.type !== 'result') throw new Error('The first entry is no result.');
    expect(Buffer.byteLength(JSON.stringify(result.item.metadata))).to.be.at.most(65_536);
    const error = result.item.metadata?.error as { stack: string };
    expect(error.stack)
      .to.match(/^first\n/)
      .and.to.match(/\nlast$/);
    expect(result.item.error_message?.length).to.be.below(66_000);
    expect(entries.map((entry) => (entry.type === 'warning' ? entry.code : ''))).to.include('cut_metadata');
  });
});

describe('importers: options and facts', () => {
  it('reads the facts of a run', async () => {
    expect((await summaryOf('ctrf/current.json')).facts).to.deep.equal({
      tool: 'vitest',
      started_at: '2026-03-04T05:06:07.000Z',
      finished_at: '2026-03-04T05:06:09.000Z',
      branch: 'main',
      commit: 'a1b2c3d',
      ci_url: 'https://ci.example/7',
      label: 'unit',
      run_key: 'build-7',
      shard: { index: 2, total: 4 },
    });
    expect((await summaryOf('junit/pytest-xunit1.xml')).facts).to.deep.equal({
      tool: 'pytest',
      started_at: '2026-03-04T03:06:07.123Z',
    });
    expect((await summaryOf('playwright/current.json')).facts.shard).to.deep.equal({ index: 1, total: 3 });
  });

  it('counts results, attempts and bytes', async () => {
    const { facts: _, ...counts } = await summaryOf('junit/surefire-flaky.xml');
    expect(counts).to.deep.equal({
      format: 'junit',
      results: 6,
      passed: 1,
      failed: 5,
      skipped: 0,
      known_fail: 0,
      retried: 4,
      failing: 1,
      attachments: 1,
      bytes: 539,
      joined: { 'the report has elements such as rerunFailure and flakyFailure in a case': 2 },
      outside: 0,
      failures_unread: 0,
      timed: 0,
    });
  });

  it('refuses unknown fields of CTRF if it is strict', async () => {
    expect(await outcomeOf('ctrf/unknown-fields.json', { strict: true })).to.deep.equal([
      'error unknown_fields',
    ]);
  });

  it('keeps the output of all results, or of none', async () => {
    const files = async (output: 'all' | 'none'): Promise<number> =>
      (await outcomeOf('junit/outputs.xml', { output })).filter((line) => line.startsWith('  +')).length;
    expect(await files('all')).to.equal(5);
    expect(await files('none')).to.equal(0);
  });
});
