import { expect } from 'chai';
import { ImportError } from '../../src/importers/import-error.js';
import { entriesOf } from './read-corpus.js';

async function faultOf(document: unknown): Promise<string> {
  try {
    await entriesOf(JSON.stringify(document));
    return 'none';
  } catch (error) {
    if (error instanceof ImportError) return error.code;
    throw error;
  }
}

describe('importers: JSON', () => {
  it('is no report because it has a key that one has', async () => {
    for (const document of [
      { config: {} },
      { config: { strict: true }, suites: [] },
      { suites: [{ name: 'a suite of something else' }] },
      { results: {} },
      { results: [1, 2] },
    ])
      expect(await faultOf(document), JSON.stringify(document)).to.equal('unknown_format');
    for (const document of [
      { config: { rootDir: '/w', projects: [] }, suites: [] },
      { suites: [{ title: 'a.spec.ts', specs: [] }] },
      { config: {}, suites: [], errors: [{ message: 'no tests found' }] },
      { results: { summary: { failed: 0 } } },
      { results: { tests: [{ name: 'a', status: 'passed', duration: 1 }] } },
    ])
      expect(await faultOf(document), JSON.stringify(document)).to.equal('none');
  });

  it('with bytes that are no UTF-8 is read with a warning that counts them', async () => {
    const report = Buffer.from(
      '{"results":{"tests":[{"name":"z\u00e4hlt K\u00f6rbe","status":"passed","duration":1}]}}',
      'latin1',
    );
    const entries = await entriesOf(report);
    const warnings = entries.flatMap((entry) =>
      entry.type === 'warning' ? [[entry.code, entry.count]] : [],
    );
    expect(warnings).to.deep.equal([['illegal_characters', 2]]);
  });

  it('of Playwright fails a test that Playwright calls unexpected, though no attempt says why', async () => {
    const test = {
      projectName: '',
      expectedStatus: 'passed',
      status: 'unexpected',
      results: [{ status: 'interrupted', retry: 0 }],
    };
    const report = { suites: [{ title: 'a.spec.ts', specs: [{ title: 'pays', tests: [test] }] }] };
    const [first] = await entriesOf(JSON.stringify(report));
    expect(first).to.nested.include({ type: 'result', 'item.status': 'failed' });
  });
});
