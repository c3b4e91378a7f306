import ignore, { type Ignore } from 'ignore';

/** Who looks after a file, by the rules of a `CODEOWNERS` file. */
export type CodeOwners = (file: string) => string | null;

/**
 * Reads a `CODEOWNERS` file of GitHub, GitLab or Bitbucket. The last rule that matches a file counts, and the first of
 * its owners is returned: a result has one owner. A rule without an owner takes the owner away. A section of GitLab
 * gives its owners to the rules in it that have none.
 */
export function codeOwners(text: string): CodeOwners {
  const rules = text.split(/\r?\n/).reduce<{ rules: Rule[]; ofSection: readonly string[] }>(
    ({ rules, ofSection }, line) => {
      const section = sectionOf(line);
      if (section !== null) return { rules, ofSection: section };
      const rule = ruleOf(line, ofSection);
      if (rule !== null) rules.push(rule);
      return { rules, ofSection };
    },
    { rules: [], ofSection: [] },
  ).rules;
  rules.reverse();
  const known = new Map<string, string | null>();
  return (file) => {
    const path = file.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
    if (!ignore.isPathValid(path) || /^[A-Za-z]:/.test(path)) return null;
    const before = known.get(path);
    if (before !== undefined) return before;
    const owner = rules.find((rule) => rule.matches(path))?.owner ?? null;
    // Many results have the same file. A report with a file for each result must not fill the memory.
    if (known.size >= KNOWN) known.clear();
    known.set(path, owner);
    return owner;
  };
}

/** Files whose owner is remembered. */
const KNOWN = 10_000;

type Rule = { matches: (path: string) => boolean; owner: string | null };

function ruleOf(line: string, ofSection: readonly string[]): Rule | null {
  const plain = line.trim();
  if (plain === '' || plain.startsWith('#')) return null;
  // A space in a pattern has a backslash before it.
  const [pattern = '', ...rest] = plain.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const owners = ownersIn(rest);
  // `!` is no negation here, and GitLab's exclusion takes the owner away.
  const excludes = pattern.startsWith('!');
  const matcher = matcherOf(excludes ? pattern.slice(1) : pattern);
  const owner = excludes ? null : (owners[0] ?? (rest.length === 0 ? (ofSection[0] ?? null) : null));
  return { matches: (path) => matcher.ignores(path), owner };
}

/**
 * Patterns are those of `.gitignore`, but for two rules: case counts, and `docs/*` is the files of a folder, without
 * those of the folders in it.
 */
function matcherOf(pattern: string): Ignore {
  const matcher = ignore({ ignorecase: false }).add(pattern);
  return pattern.endsWith('/*') ? matcher.add(`!${pattern}/`) : matcher;
}

/** The owners of `[Section]`, `^[Optional]` or `[Section][2] @owner`; null where the line is no section. */
function sectionOf(line: string): readonly string[] | null {
  const match = /^\^?\[[^\]]+\](?:\[\d+\])?(?:\s+(.*))?$/.exec(line.trim());
  return match === null ? null : ownersIn((match[1] ?? '').split(/\s+/));
}

/** `@user`, `@org/team` or an e-mail address. A comment ends the line. */
function ownersIn(words: readonly string[]): string[] {
  const end = words.findIndex((word) => word.startsWith('#'));
  return (end === -1 ? words : words.slice(0, end)).filter((word) => word.includes('@'));
}
