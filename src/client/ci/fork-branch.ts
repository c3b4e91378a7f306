/** How the branch of a fork is named, so that its `main` is not that of the project, and no baseline. */

/** As GitHub labels it; `fork` where the owner is not known. */
export function ofFork(owner: string | undefined, branch: string): string {
  return `${owner || 'fork'}:${branch}`;
}

/** A branch with the owner of its repository, where that is another one than the owner of the project. */
export function ofOther(
  branch: string | undefined,
  owner: string | undefined,
  own: string | undefined,
): string | undefined {
  const isNamed = branch?.startsWith(`${owner}:`) === true;
  // People write the address of their repository, and services know names in any case.
  return branch && owner && owner.toLowerCase() !== own?.toLowerCase() && !isNamed
    ? ofFork(owner, branch)
    : branch;
}

/** `git@github.com:acme/shop.git`, `https://github.com/acme/shop.git` */
export function ownerOfUrl(url: string | undefined): string | undefined {
  return /[:/]([^:/]+)\/[^/]+$/.exec(url ?? '')?.[1];
}

/** `acme/shop` */
export function ownerOf(repository: string | undefined): string | undefined {
  return repository?.replace(/\/[^/]*$/, '');
}
