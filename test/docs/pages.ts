/** The documents of the repository, and the blocks of code in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';

/** This file is below `dist/test/docs`. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export type Page = { path: string; text: string; blocks: readonly Block[] };

export type Block = {
  language: string;
  text: string;
  /** Where the text before the block says under which name to save it: `submit.mjs`. */
  file: string | null;
};

export const pages: readonly Page[] = globSync(['*.md', 'docs/**/*.md', 'clients/*/README.md'], {
  cwd: repository,
})
  .sort()
  .map((path) => {
    const text = readFileSync(join(repository, path), 'utf8');
    return { path, text, blocks: blocksOf(text) };
  });

export function pageAt(path: string): Page {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`there is no page ${path}`);
  return page;
}

/** A block inside of a list is indented; its own lines then have that indent too. */
function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gmu)].map((match) => {
    const [, indent, language, content] = match as unknown as [string, string, string, string];
    const paragraph = text.slice(0, match.index).trimEnd().split('\n').at(-1)!;
    return {
      language,
      text: content.replaceAll(new RegExp(`^${indent}`, 'gmu'), ''),
      file: paragraph.startsWith('```') ? null : (/`([\w-]+\.mjs)`/u.exec(paragraph)?.[1] ?? null),
    };
  });
}
