import { expect } from 'chai';
import { reportedName, suitePath } from '../../../src/importers/values/naming.js';
import { sourceFile, withoutCheckout } from '../../../src/importers/source-paths.js';
import { entriesOf } from '../read-corpus.js';

function nameOf(suites: string[], className: string, name: string, project?: string): string {
  return reportedName({
    suites: suitePath(suites),
    className,
    name,
    ...(project === undefined ? {} : { project }),
  });
}

describe('importers: names of tests', () => {
  it('joins suites, class and name', () => {
    expect(nameOf(['a', 'b'], 'c.D', 'works')).to.equal('a › b › c.D › works');
    expect(nameOf([], '', 'works')).to.equal('works');
    expect(nameOf(['s'], '', '')).to.equal('s');
  });

  it('names nothing twice', () => {
    expect(nameOf(['a', '', 'a', 'b'], 'b', 'works')).to.equal('a › b › works');
    expect(nameOf(['Tests\\FooTest'], 'Tests.FooTest', 'testX')).to.equal('Tests\\FooTest › testX');
    expect(nameOf(['s'], 'full title', 'full title')).to.equal('s › full title');
    expect(nameOf(['s'], 'adds', 'Calculator adds')).to.equal('s › Calculator adds');
    expect(nameOf(['s'], 'Calculator adds', 'adds')).to.equal('s › Calculator adds');
  });

  it('leaves a class where only letters of it are in the name', () => {
    expect(nameOf(['s'], 't', 'teardown')).to.equal('s › t › teardown');
    expect(nameOf(['s'], 'com.acme.Test.test', 'test')).to.equal('s › com.acme.Test.test › test');
  });

  it('adds the project', () => {
    expect(nameOf(['a.spec.ts'], 'a.spec.ts', 'works', 'firefox')).to.equal('a.spec.ts › works [firefox]');
  });

  it('is the same for a test of Playwright in JUnit and JSON, as is its environment', async () => {
    const namesIn = async (report: string) =>
      (await entriesOf(report)).flatMap((entry) =>
        entry.type === 'result' ? [[entry.item.name, entry.item.metadata?.['environment']]] : [],
      );
    const junit = await namesIn(
      '<testsuites><testsuite name="a.spec.ts" hostname="chromium"><testcase classname="a.spec.ts" name="login › works"/></testsuite></testsuites>',
    );
    const json = await namesIn(
      '{"config":{},"suites":[{"title":"a.spec.ts","suites":[{"title":"login","specs":[{"title":"works","tests":[{"projectName":"chromium","results":[{"status":"passed"}]}]}]}]}]}',
    );
    expect(junit).to.deep.equal([['a.spec.ts › login › works [chromium]', { project: 'chromium' }]]);
    expect(json).to.deep.equal(junit);
  });

  it('does not change with the machine, the order or the shard', async () => {
    const suiteAt = (folder: string, host: string): string =>
      `<testsuite name="${folder}/src/a.test.js" hostname="${host}"><testcase name="works"/></testsuite>`;
    const other = '<testsuite name="other"><testcase name="works"/></testsuite>';
    const here = await namesIn(
      `<testsuites>${suiteAt('/home/runner/work/app/app', 'vm-1')}${other}</testsuites>`,
    );
    const there = await namesIn(`<testsuites>${other}${suiteAt('/builds/acme/app', 'vm-2')}</testsuites>`);
    const shard = await namesIn(suiteAt('D:\\a\\app\\app', 'vm-3'));
    expect(here).to.deep.equal(['src/a.test.js › works', 'other › works']);
    expect(there.sort()).to.deep.equal(here.sort());
    expect(here).to.include(shard[0]);
  });
});

describe('importers: paths of source files', () => {
  it('removes the folder of the checkout', () => {
    expect(withoutCheckout('/srv/work/app/src/a.ts', '/srv/work/app')).to.equal('src/a.ts');
    expect(withoutCheckout('/srv/work/application/a.ts', '/srv/work/app')).to.equal(
      '/srv/work/application/a.ts',
    );
    expect(withoutCheckout('D:\\a\\app\\app\\src\\a.ts')).to.equal('src/a.ts');
    expect(withoutCheckout('file:///builds/acme/app/a.ts')).to.equal('a.ts');
    expect(withoutCheckout('Division / by zero')).to.equal('Division / by zero');
  });

  it('joins the prefix of a package to a relative path, once', () => {
    const options = { pathPrefix: './packages/web/' };
    expect(sourceFile('src\\a.ts', options)).to.equal('packages/web/src/a.ts');
    expect(sourceFile('./src/a.ts', options)).to.equal('packages/web/src/a.ts');
    expect(sourceFile('packages/web/src/a.ts', options)).to.equal('packages/web/src/a.ts');
    expect(sourceFile('/opt/other/a.ts', options)).to.equal('/opt/other/a.ts');
  });
});

async function namesIn(report: string): Promise<string[]> {
  return (await entriesOf(report)).flatMap((entry) => (entry.type === 'result' ? [entry.item.name] : []));
}
