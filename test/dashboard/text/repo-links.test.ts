import { expect } from 'chai';
import {
  commitUrl,
  compareUrl,
  fileUrl,
  pullRequestUrl,
  repoName,
} from '../../../src/dashboard/text/repo-links.js';
import { frameIn, rootIn } from '../../../src/dashboard/text/stack-frames.js';

const place = { file: 'src/a b/cart.ts', line: 12 };

describe('the addresses of a code host', () => {
  for (const [repo_url, commit, file, compare, pull] of [
    [
      'https://github.com/acme/shop/',
      'https://github.com/acme/shop/commit/9f2c',
      'https://github.com/acme/shop/blob/9f2c/src/a%20b/cart.ts#L12',
      'https://github.com/acme/shop/compare/1111...9f2c',
      'https://github.com/acme/shop/pull/7',
    ],
    [
      'https://gitlab.com/acme/shop.git',
      'https://gitlab.com/acme/shop/-/commit/9f2c',
      'https://gitlab.com/acme/shop/-/blob/9f2c/src/a%20b/cart.ts#L12',
      'https://gitlab.com/acme/shop/-/compare/1111...9f2c',
      'https://gitlab.com/acme/shop/-/merge_requests/7',
    ],
    [
      'https://git.acme.example/shop/-',
      'https://git.acme.example/shop/-/commit/9f2c',
      'https://git.acme.example/shop/-/blob/9f2c/src/a%20b/cart.ts#L12',
      'https://git.acme.example/shop/-/compare/1111...9f2c',
      'https://git.acme.example/shop/-/merge_requests/7',
    ],
    [
      'https://bitbucket.org/acme/shop',
      'https://bitbucket.org/acme/shop/commits/9f2c',
      'https://bitbucket.org/acme/shop/src/9f2c/src/a%20b/cart.ts#lines-12',
      'https://bitbucket.org/acme/shop/branches/compare/9f2c%0D1111',
      'https://bitbucket.org/acme/shop/pull-requests/7',
    ],
  ] as const)
    it(`are those of ${repo_url}`, () => {
      const repo = { repo_url };
      expect(commitUrl(repo, '9f2c')).to.equal(commit);
      expect(fileUrl(repo, '9f2c', place)).to.equal(file);
      expect(compareUrl(repo, '1111', '9f2c')).to.equal(compare);
      expect(pullRequestUrl(repo, '7')).to.equal(pull);
      expect(repoName(repo)).to.equal('shop');
    });

  it('are none without a repository, a commit, a file of the repository, or a number', () => {
    const repo = { repo_url: 'https://github.com/acme/shop' };
    expect(commitUrl({ repo_url: null }, '9f2c')).to.equal(null);
    expect(compareUrl(repo, '9f2c', '9f2c')).to.equal(null);
    expect(pullRequestUrl(repo, 'x/../..')).to.equal(null);
    for (const file of [null, '/etc/passwd', 'C:\\a.ts', '../other/a.ts'])
      expect(fileUrl(repo, '9f2c', { file, line: 1 }), String(file)).to.equal(null);
  });
});

describe('the lines of a stack', () => {
  for (const [line, root, file, number] of [
    ['    at total (src/cart.ts:12:5)', null, 'src/cart.ts', 12],
    ['    at total (/home/ci/shop/src/cart.ts:12:5)', '/home/ci/shop/', 'src/cart.ts', 12],
    ['  File "tests/test_cart.py", line 7, in test_pays', null, 'tests/test_cart.py', 7],
    ['./spec/cart_spec.rb:9', null, 'spec/cart_spec.rb', 9],
  ] as const)
    it(`name a place of the repository: ${line.trim()}`, () => {
      const frame = frameIn(line, root)!;
      expect([frame.file, frame.line]).to.deep.equal([file, number]);
      expect(frame.before + frame.text + frame.after).to.equal(line);
    });

  it('name none of another place of the disk', () => {
    expect(frameIn('at /usr/lib/node/a.js:1:2', null)).to.equal(null);
    expect(frameIn('at /usr/lib/node/a.js:1:2', '/home/ci/shop/')).to.equal(null);
    expect(frameIn('Error: expected 3 to equal 2', null)).to.equal(null);
  });

  it('tell where the tests ran, by the file of the result', () => {
    const stack = 'at x (/usr/lib/a.js:1:1)\nat y (/home/ci/shop/src/cart.ts:12:5)';
    expect(rootIn(stack, 'src/cart.ts')).to.equal('/home/ci/shop/');
    expect(rootIn(stack, 'src/other.ts')).to.equal(null);
    expect(rootIn(stack, null)).to.equal(null);
  });
});
