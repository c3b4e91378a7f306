import { expect } from 'chai';
import { codeOwners } from '../../../src/importers/code-owners.js';

describe('importers: CODEOWNERS', () => {
  it('takes the first owner of the last rule that matches', () => {
    const ownerOf = codeOwners(`
# comment
*                 @acme/all
*.js              @js @other   # why
/docs/            docs@acme.example
apps/             @apps
/apps/github
/apps/deep/**/x.ts @deep
with\\ space.txt  @space
`);
    expect(ownerOf('README.md')).to.equal('@acme/all');
    expect(ownerOf('src/a.js')).to.equal('@js');
    expect(ownerOf('docs/a/b.md')).to.equal('docs@acme.example');
    expect(ownerOf('packages/docs/a.md')).to.equal('@acme/all');
    expect(ownerOf('x/apps/a.js')).to.equal('@apps');
    expect(ownerOf('apps/deep/a/b/x.ts')).to.equal('@deep');
    expect(ownerOf('with space.txt')).to.equal('@space');
  });

  it('takes `docs/*` for the files of the folder itself, as GitHub does', () => {
    const ownerOf = codeOwners(
      '* @all\ndocs/* docs@example.com\n/lib/** @lib\npackages/*/* @packages\n**/logs/* @logs\n',
    );
    expect(ownerOf('docs/a.md')).to.equal('docs@example.com');
    expect(ownerOf('docs/a/b.md')).to.equal('@all');
    expect(ownerOf('docs/a/docs/c.md')).to.equal('@all');
    expect(ownerOf('lib/a/b.ts')).to.equal('@lib');
    expect(ownerOf('packages/web/a.ts')).to.equal('@packages');
    expect(ownerOf('packages/web/src/a.ts')).to.equal('@all');
    expect(ownerOf('x/logs/a.txt')).to.equal('@logs');
    expect(ownerOf('x/logs/y/a.txt')).to.equal('@all');
    const ofRoot = codeOwners('/* @root\n');
    expect(ofRoot('a.ts')).to.equal('@root');
    expect(ofRoot('src/a.ts')).to.equal(null);
    for (const pattern of ['*', '**', '**/*']) {
      expect(codeOwners(`${pattern} @all`)('a/b/c.ts'), pattern).to.equal('@all');
    }
  });

  it('tells upper case from lower case, as GitHub does', () => {
    const ownerOf = codeOwners('/Src/ @upper\n*.TS @script\n');
    expect(ownerOf('Src/a.js')).to.equal('@upper');
    expect(ownerOf('src/low.ts')).to.equal(null);
    expect(ownerOf('src/low.TS')).to.equal('@script');
  });

  it('knows no owner where the last rule has none', () => {
    const ownerOf = codeOwners('* @all\n/apps/github\n');
    expect(ownerOf('apps/github/a.ts')).to.equal(null);
    expect(codeOwners('')('a.ts')).to.equal(null);
  });

  it('gives the owners of a section of GitLab to its rules', () => {
    const ownerOf = codeOwners('[Docs][2] @docs\n*.md\nREADME.md @readme\n^[Optional]\n*.rb\n');
    expect(ownerOf('a.md')).to.equal('@docs');
    expect(ownerOf('README.md')).to.equal('@readme');
    expect(ownerOf('a.rb')).to.equal(null);
  });

  it('takes any path for a file', () => {
    const ownerOf = codeOwners('* @all');
    for (const path of ['./a.ts', '/a.ts', 'src\\a.ts']) expect(ownerOf(path), path).to.equal('@all');
    for (const path of ['', '../a.ts', 'C:\\a.ts']) expect(ownerOf(path), path).to.equal(null);
  });
});
