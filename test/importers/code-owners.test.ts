import { expect } from 'chai';
import { codeOwners } from '../../src/importers/code-owners.js';

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
