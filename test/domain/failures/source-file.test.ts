import { expect } from 'chai';
import { sourceFile } from '../../../src/domain/failures/source-file.js';

describe('the name of a source file', () => {
  for (const root of [
    '/home/runner/work/shop/shop/',
    '/Users/runner/work/shop/shop/',
    '/__w/shop/shop/',
    '/home/ci/actions-runner/_work/shop/shop/',
    'D:\\a\\shop\\shop\\',
    'D:\\a\\1\\s\\',
    '/home/vsts/work/1/s/',
    '/builds/team/shop/',
    '/builds/group/team/shop/',
    '/var/lib/jenkins/workspace/shop_main@2/',
    'C:\\Jenkins\\workspace\\shop\\',
    '/home/circleci/project/',
    '/root/project/',
    '/opt/atlassian/pipelines/agent/build/',
    '/var/lib/buildkite-agent/builds/agent-1/team/shop/',
    '/workspace/',
    '/github/workspace/',
    '/app/',
    '/usr/src/app/',
    '/home/anna/code/shop/',
    '/home/anna/src/shop/',
    '/Users/anna/shop/',
    'C:\\Users\\Anna Smith\\code\\shop\\',
    '/tmp/build-17/shop/',
    'file:///home/runner/work/shop/shop/',
    'file:///C:/Users/Anna/shop/',
    'webpack:///./',
    'webpack:///',
    'webpack://shop/./',
    'webpack-internal:///./',
    'http://localhost:41234/',
    '/app/node/../',
    './',
    '../',
    '',
  ]) {
    it(`has nothing of ${root === '' ? 'no root' : root}`, () => {
      const separator = root.includes('\\') ? '\\' : '/';
      const file = ['src', 'repo.ts'].join(separator);
      expect(sourceFile(`${root}${file}`)).to.equal('src/repo.ts');
      expect(sourceFile(`${root}src${separator}a${separator}b${separator}c.ts`)).to.equal('a/b/c.ts');
    });
  }

  it('keeps folders apart', () => {
    expect(sourceFile('/app/src/orders/repo.ts')).to.equal('src/orders/repo.ts');
    expect(sourceFile('/app/src/invoices/repo.ts')).to.equal('src/invoices/repo.ts');
  });

  it('has no hash of a bundler and no query', () => {
    expect(sourceFile('https://shop.test/assets/index-3f9a2b1c.js?v=2')).to.equal('assets/index.js');
    expect(sourceFile('https://shop.test/assets/index-DxR4kQ9a.js')).to.equal('assets/index.js');
    expect(sourceFile('src/orders-controller.js')).to.equal('src/orders-controller.js');
    expect(sourceFile('src/orders.controller.js')).to.equal('src/orders.controller.js');
  });
});
