import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ImportedEntry, ImportOptions } from '../../src/importers/entry.js';
import { ImportError } from '../../src/importers/import-error.js';
import { findReports, reportsIn } from '../../src/importers/import-files.js';
import { entriesOfFolder } from './read-corpus.js';

const passed = { uuid: 'a', historyId: 'h', name: 'adds', status: 'passed', stage: 'finished' };

describe('importers: results of Allure', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-allure-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Reads a folder of these files. A text stands in a file as it is. */
  async function read(
    files: Readonly<Record<string, unknown>>,
    options: ImportOptions = {},
  ): Promise<ImportedEntry[]> {
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return entriesOfFolder(folder, options);
  }

  async function faultOf(reading: Promise<unknown>): Promise<string> {
    try {
      await reading;
      return 'none';
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      const { code, place, file } = error;
      return `${code} ${file.slice(folder.length + 1)}${place === null ? '' : `:${place.line}:${place.column}`}`;
    }
  }

  const only = async (result: object) => {
    const [first] = itemsOf(await read({ 'a-result.json': { ...passed, ...result } }));
    return first!;
  };

  it('of one historyId are attempts of one test, in the order of their starts', async () => {
    const at = (uuid: string, start: number, status: string) => ({ ...passed, uuid, start, status });
    const entries = await read({
      'c-result.json': at('c', 1_700_000_001_000, 'broken'),
      'b-result.json': at('b', 1_700_000_003_000, 'passed'),
      'a-result.json': at('a', 1_700_000_002_000, 'failed'),
    });
    expect(itemsOf(entries).map(({ status, attempt }) => [status, attempt])).to.deep.equal([
      ['failed', 1],
      ['failed', 2],
      ['passed', 3],
    ]);
    expect(entries.at(-1)).to.nested.include({ 'summary.failing': 0, 'summary.retried': 2 });
  });

  it('of one name without a historyId, or with another one, stand beside each other', async () => {
    const other = { ...passed, uuid: 'b', historyId: 'other', status: 'failed' };
    const without = { ...passed, historyId: undefined, uuid: 'c' };
    const entries = await read({
      'a-result.json': passed,
      'b-result.json': other,
      'c-result.json': without,
    });
    expect(itemsOf(entries).map(({ name, status, attempt }) => [name, status, attempt])).to.deep.equal([
      ['adds', 'passed', undefined],
      ['adds', 'failed', undefined],
      ['adds', 'passed', undefined],
    ]);
  });

  it('that differ in a parameter have names that do, and a hidden or masked value is in none', async () => {
    const parameters = [
      { name: 'size', value: '3' },
      { name: 'token', value: 'tl_secret', mode: 'masked' },
      { name: 'port', value: '8080', excluded: true },
      { name: 'key', value: 'k', mode: 'hidden' },
    ];
    const item = await only({ parameters });
    expect(item.name).to.equal('adds [size=3]');
    expect(item.metadata).to.deep.equal({ parameters: { size: '3' } });
    expect((await only({ name: 'adds "3"', parameters: [{ name: 'n', value: "'3'" }] })).name).to.equal(
      'adds "3"',
    );
  });

  it('that are known or muted failures are expected, and one that is flaky by its word is an attempt that failed before', async () => {
    const details = { message: 'no', known: true };
    const known = await only({ status: 'failed', statusDetails: details });
    expect(known).to.deep.include({ status: 'known_fail' });
    expect(known.metadata).to.deep.equal({ allure_flags: ['known'], reason: 'no' });
    const muted = await only({ status: 'broken', statusDetails: { muted: true } });
    expect(muted.status).to.equal('known_fail');
    const flaky = itemsOf(await read({ 'a-result.json': { ...passed, statusDetails: { flaky: true } } }));
    expect(flaky.map(({ status, attempt }) => [status, attempt])).to.deep.equal([
      ['failed', 1],
      ['passed', 2],
    ]);
  });

  it('have the owner, tags, labels, links and steps of the test', async () => {
    const label = (name: string, value: string) => ({ name, value });
    const item = await only({
      labels: [
        label('owner', 'ann'),
        label('tag', 'fast'),
        label('tag', 'fast'),
        label('tag', 'x'.repeat(65)),
        label('suite', 'Cart'),
        label('severity', 'critical'),
        label('thread', '17'),
      ],
      links: [
        { name: 'BUG-1', url: 'https://bugs.example/1', type: 'issue' },
        { name: 'no address', url: 'javascript:alert(1)' },
        { url: 'http://x.example/' },
      ],
      steps: [
        { name: 'open', status: 'passed', start: 1, stop: 11, steps: [{ name: 'log in', status: 'passed' }] },
        { name: 'pay', status: 'broken', statusDetails: { message: 'no money' } },
      ],
    });
    expect(item.name).to.equal('Cart › adds');
    expect(item.metadata).to.deep.equal({
      suite: 'Cart',
      owner: 'ann',
      tags: ['fast'],
      labels: { severity: 'critical' },
      links: [
        { name: 'BUG-1', url: 'https://bugs.example/1' },
        { name: 'http://x.example/', url: 'http://x.example/' },
      ],
      steps: [
        { name: 'open', duration_ms: 10, steps: [{ name: 'log in' }] },
        { name: 'pay', status: 'failed', error: 'no money' },
      ],
    });
  });

  it('have the name that JUnit reports of Java and the reports of Playwright have', async () => {
    const labels = [
      { name: 'testClass', value: 'shop.CartTest' },
      { name: 'testMethod', value: 'adds' },
      { name: 'suite', value: 'shop.CartTest' },
    ];
    expect((await only({ name: 'adds()', labels })).name).to.equal('shop.CartTest › adds');
    const playwright = await only({
      labels: [
        { name: 'framework', value: 'playwright' },
        { name: 'parentSuite', value: 'chromium' },
        { name: 'suite', value: 'login.spec.ts' },
        { name: 'subSuite', value: 'form > errors' },
      ],
    });
    expect(playwright.name).to.equal('login.spec.ts › form › errors › adds [chromium]');
    expect(playwright.metadata).to.deep.include({ environment: { project: 'chromium' } });
  });

  it('without a verdict are skipped, with the reason', async () => {
    expect((await only({ status: undefined, stage: 'running' })).metadata).to.deep.equal({
      reason: 'the test did not end',
    });
    const entries = await read({ 'a-result.json': { ...passed, status: 'exploded' } });
    expect(itemsOf(entries)[0]!.status).to.equal('skipped');
    expect(entries.flatMap((entry) => (entry.type === 'warning' ? entry.code : []))).to.deep.equal([
      'unknown_status',
    ]);
  });

  it('fail for a fixture that failed, where none of its tests did', async () => {
    const container = {
      uuid: 'c',
      name: 'Cart',
      children: ['a'],
      afters: [{ name: 'tear down', status: 'broken', statusDetails: { message: 'cannot close' } }],
    };
    const alone = await read({ 'a-result.json': passed, 'c-container.json': container });
    expect(itemsOf(alone).map(({ name, status, error_message: m }) => [name, status, m])).to.deep.equal([
      ['adds', 'passed', undefined],
      ['Cart › tear down', 'failed', 'cannot close'],
    ]);
    const failed = await read({ 'a-result.json': { ...passed, status: 'failed' } });
    expect(itemsOf(failed)).to.have.length(1);
  });

  it('are found beside what is no report, and by their content', async () => {
    const ctrf = { results: { tests: [{ name: 'one', status: 'passed', duration: 1 }] } };
    const files = {
      'a-result.json': passed,
      'categories.json': [],
      'executor.json': {},
      'environment.properties': 'a=b',
      'x-attachment.json': '{}',
    };
    await mkdir(join(folder, 'other'));
    await writeFile(join(folder, 'other', 'ctrf-result.json'), JSON.stringify(ctrf));
    await read(files);
    const reports = reportsIn(
      await findReports(['**/*.json', '*.properties'], folder).then(({ files: found }) =>
        found.map((file) => join(folder, file)),
      ),
    );
    expect(reports.map(({ name }) => name.slice(folder.length))).to.deep.equal([
      '',
      '/other/ctrf-result.json',
    ]);
  });

  it('that are cut off or no results are refused with the place, and left out with --partial', async () => {
    const files = { 'a-result.json': passed, 'b-result.json': '{"uuid":"b",\n "name": "cu' };
    expect(await faultOf(read(files))).to.equal('incomplete b-result.json:2:13');
    const partial = await read(files, { partial: true });
    expect(partial.map(({ type }) => type)).to.deep.equal(['result', 'warning', 'summary']);
    await writeFile(join(folder, 'b-result.json'), '[1]');
    expect(await faultOf(read({}))).to.equal('unknown_format b-result.json');
    await writeFile(join(folder, 'b-result.json'), '');
    expect(await faultOf(read({}))).to.equal('empty_file b-result.json');
  });

  it('of any form become results that the API takes', async () => {
    const values: unknown[] = [null, 7, true, 'x', [], {}, [[]], [null], { a: {} }, -1e99, '\ud800\0'];
    for (const name of [
      'name',
      'fullName',
      'status',
      'stage',
      'statusDetails',
      'labels',
      'links',
      'parameters',
      'steps',
      'attachments',
      'titlePath',
      'start',
      'stop',
      'historyId',
    ])
      for (const value of values) {
        const entries = await read({ 'a-result.json': { ...passed, labels: [], [name]: value } });
        expect(itemsOf(entries), `${name} ${JSON.stringify(value)}`).to.have.length(1);
        expect(itemsOf(entries)[0]!.name).to.not.equal('');
      }
  });

  it('with steps 10,000 deep or 100,000 beside each other keep the way to the one that failed', async () => {
    let deep = '{"name":"last","status":"failed","statusDetails":{"message":"no"}}';
    for (let n = 0; n < 10_000; n += 1) deep = `{"name":"s","status":"failed","steps":[${deep}]}`;
    const entries = await read({
      'a-result.json': `${JSON.stringify(passed).slice(0, -1)},"steps":[${deep}]}`,
    });
    expect(itemsOf(entries)).to.have.length(1);
    const many = Array.from({ length: 100_000 }, (_, n) => ({ name: `step ${n}`, status: 'passed' }));
    const item = await only({
      status: 'failed',
      steps: [...many, { name: 'pay', status: 'failed', statusDetails: { message: 'no money' } }],
    });
    const { steps, steps_left_out: left } = item.metadata as {
      steps: { name: string }[];
      steps_left_out: number;
    };
    expect(steps.at(-1)).to.deep.equal({ name: 'pay', status: 'failed', error: 'no money' });
    expect(steps.length + left).to.equal(100_001);
    expect(JSON.stringify(item.metadata).length).to.be.below(20_000);
  });

  it('have a hook of each test that failed once, where its test failed with the same words', async () => {
    const hook = (name: string) => ({ message: `${name} hook failed: no database` });
    const failed = { ...passed, status: 'broken', statusDetails: { message: 'no database' } };
    const entries = await read({
      'a-result.json': failed,
      'b-globals.json': { errors: [hook('beforeEach'), hook('beforeAll')] },
    });
    expect(itemsOf(entries).map(({ name }) => name)).to.deep.equal(['adds', 'beforeAll hook']);
    const alone = await read({ 'a-result.json': passed, 'b-globals.json': { errors: [hook('afterEach')] } });
    expect(itemsOf(alone).map(({ status }) => status)).to.deep.equal(['passed', 'failed']);
  });
});

function itemsOf(entries: readonly ImportedEntry[]) {
  return entries.flatMap((entry) => (entry.type === 'result' ? [entry.item] : []));
}
