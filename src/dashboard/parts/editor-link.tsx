/** A place in the source for the person's own editor: it shows once the person has said where the editor finds files. */
import { pathInside, repoName, type Repo } from '../text/repo-links.js';

export function EditorLink({
  project,
  place: { file, line },
}: {
  project: Repo;
  place: { file: string | null; line: number | null };
}) {
  const path = file === null ? null : pathInside(file);
  if (path === null) return null;
  return (
    <editor-link data-file={path} data-line={line?.toString()} data-repo={repoName(project) ?? undefined} />
  );
}
