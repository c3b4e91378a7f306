/** Addresses of a code host, from the web page of a repository. GitHub, GitLab and Bitbucket have their own forms. */

export type Repo = { repo_url: string | null };

/** Null where the project has no repository. GitLab of one's own is known by `/-` at the end of the address. */
function hostOf(repo: string): 'github' | 'gitlab' | 'bitbucket' {
  const { hostname } = new URL(repo);
  if (/(^|\.)bitbucket\./.test(hostname)) return 'bitbucket';
  return /(^|\.)gitlab\./.test(hostname) ? 'gitlab' : 'github';
}

function baseOf({ repo_url }: Repo): { base: string; host: ReturnType<typeof hostOf> } | null {
  if (repo_url === null || !URL.canParse(repo_url)) return null;
  const url = repo_url.replace(/\/+$/, '').replace(/\.git$/, '');
  const host = hostOf(url);
  return { base: host === 'gitlab' && !url.endsWith('/-') ? `${url}/-` : url, host };
}

export function commitUrl(repo: Repo, commit: string | null): string | null {
  const found = baseOf(repo);
  if (found === null || commit === null) return null;
  return `${found.base}/${found.host === 'bitbucket' ? 'commits' : 'commit'}/${encodeURIComponent(commit)}`;
}

/** `commit`: or a branch. */
export function fileUrl(
  repo: Repo,
  commit: string | null,
  { file, line }: { file: string | null; line: number | null },
): string | null {
  const found = baseOf(repo);
  const inside = file === null ? null : pathInside(file);
  if (found === null || commit === null || inside === null) return null;
  const path = inside.split('/').map(encodeURIComponent).join('/');
  const [folder, mark] = found.host === 'bitbucket' ? ['src', 'lines-'] : ['blob', 'L'];
  const end = line === null ? '' : `#${mark}${line}`;
  return `${found.base}/${folder}/${encodeURIComponent(commit)}/${path}${end}`;
}

/** What came after one commit, up to another. */
export function compareUrl(repo: Repo, from: string | null, to: string | null): string | null {
  const found = baseOf(repo);
  if (found === null || from === null || to === null || from === to) return null;
  const [one, other] = [encodeURIComponent(from), encodeURIComponent(to)];
  if (found.host === 'bitbucket') return `${found.base}/branches/compare/${other}%0D${one}`;
  return `${found.base}/compare/${one}...${other}`;
}

export function pullRequestUrl(repo: Repo, number: string | null): string | null {
  const found = baseOf(repo);
  if (found === null || number === null || !/^\d+$/.test(number)) return null;
  const folder = { github: 'pull', gitlab: 'merge_requests', bitbucket: 'pull-requests' }[found.host];
  return `${found.base}/${found.base.endsWith('/-') ? 'merge_requests' : folder}/${number}`;
}

/** The last part of its address, which most clones are named by. */
export function repoName(repo: Repo): string | null {
  const found = baseOf(repo);
  if (found === null) return null;
  return new URL(found.base.replace(/\/-$/, '')).pathname.split('/').at(-1) || null;
}

/** A path of the repository; null for one from the root of a disk, or out of the folder. */
export function pathInside(file: string): string | null {
  if (file === '' || /^([a-z]:)?[\\/]/i.test(file) || file.split(/[\\/]/).includes('..')) return null;
  return file.replaceAll('\\', '/').replace(/^\.\//, '');
}
