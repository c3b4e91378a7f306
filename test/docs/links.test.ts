import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { pageAt, pages, repository } from './pages.js';

const withoutCode = (text: string) =>
  text.replaceAll(/^ *```[\s\S]*?^ *```$/gmu, '').replaceAll(/`[^`\n]*`/gu, '');

describe('Documents', () => {
  for (const { path, text } of pages)
    it(`have links that lead to a file and a heading: ${path}`, () => {
      const links = [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/gu)].map(([, link]) => link!);
      const broken = links.filter((link) => !/^(?:https?|mailto):/u.test(link) && !leadsOn(path, link));
      expect(broken).to.deep.equal([]);
    });

  it('import in their examples for contributors what is there', async () => {
    const blocks = pageAt('docs/adapters.md').blocks.filter(({ language }) => language === 'ts');
    const missing: string[] = [];
    for (const { text } of blocks)
      for (const [, names, from] of text.matchAll(
        /^import (?:type )?\{ (.+) \} from '\.\.\/(.+)\.js';$/gmu,
      )) {
        // An importer stands in a folder of its own; a reporter does not.
        const found = [`src/importers/checks/../${from}.ts`, `src/reporters/../${from}.ts`]
          .map((file) => join(repository, normalize(file)))
          .find((file) => existsSync(file));
        const exported = found === undefined ? '' : readFileSync(found, 'utf8');
        for (const name of names!.split(', ').map((each) => each.replace('type ', '')))
          if (!new RegExp(`^export (?:async )?(?:function|const|type) ${name}\\b`, 'm').test(exported))
            missing.push(`${name} of ${from}`);
      }
    expect(blocks).not.to.deep.equal([]);
    expect(missing).to.deep.equal([]);
  });

  it('are all found from the README', () => {
    const guides = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    const readme = pages.find(({ path }) => path === 'README.md')!.text;
    const missing = guides.filter(
      (path) => !path.startsWith('docs/decisions/') && !readme.includes(`](${path})`),
    );
    expect(missing).to.deep.equal([]);
  });
});

function leadsOn(from: string, link: string): boolean {
  const [file, anchor] = link.split('#') as [string, string?];
  const target = join(repository, file === '' ? from : normalize(join(dirname(from), file)));
  if (relative(repository, target).startsWith('..') || !existsSync(target)) return false;
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
}

/** As GitHub makes them: without marks, with hyphens for spaces; the second one of a name ends with `-1`. */
function anchorsOf(file: string): Set<string> {
  const anchors = new Set<string>();
  const text = readFileSync(file, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gmu, '');
  for (const [, heading] of text.matchAll(/^#{1,6} (.+)$/gmu)) {
    const name = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${name}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}
