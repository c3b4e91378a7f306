import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { commandLine, junit } from '../command-line.js';

describe('testledger import of a folder', () => {
  const given = commandLine(testServer());

  it('imports its reports, says what it did not read there, and refuses a folder without reports', async () => {
    await given.file('reports/unit/a.xml', junit({ one: 'passed' }));
    await given.file('reports/b.xml', junit({ two: 'failed' }));
    await given.file('reports/settings.json', '{}');
    await given.file('pages/index.html', '<html></html>');
    const { code, document, stderr } = await given.json(['import', 'reports']);
    expect(code, stderr).to.equal(0);
    expect(document.results).to.include({ results: 2, passed: 1, failed: 1 });
    expect(document.reports.map(({ file }: { file: string }) => file)).to.deep.equal([
      'reports/b.xml',
      'reports/unit/a.xml',
    ]);
    const reason = 'not a report of a known format';
    expect(document.left_out).to.deep.equal([{ reason, count: 1, files: ['reports/settings.json'] }]);
    expect(stderr).to.include(`warning: 1 not read, ${reason}: reports/settings.json`);
    const none = await given.json(['import', 'pages']);
    expect([none.code, none.document.error.code]).to.deep.equal([2, 'no_reports']);
    expect(none.stderr).to.include('pages/index.html');
  });
});
