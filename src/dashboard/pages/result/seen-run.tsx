/** A run in which an error was seen, as people know it: by what it was of, and not by a hash alone. */
import type { components } from '../../../client/api.generated.js';
import { To } from '../../parts/to.js';
import { cut, shortCommit, visible } from '../../text/short.js';

type Seen = Pick<
  components['schemas']['RunOfFailureGroup'],
  'title' | 'branch' | 'actor' | 'tool' | 'commit'
>;

export function SeenRunName({ href, id, run }: { href: string | undefined; id: string; run: Seen }) {
  const { title, branch, actor, tool, commit } = run;
  return (
    <>
      <To class="break" href={href}>
        {title === null ? `Run ${id.slice(-6)}` : visible(cut(title, 120))}
      </To>
      <p class="facts">
        {branch !== null && <span class="break">{cut(branch, 60)}</span>}
        {commit !== null && <code class="name">{shortCommit(commit)}</code>}
        {actor !== null && <span class="break">{cut(actor, 40)}</span>}
        {tool !== null && <span class="break">{cut(tool, 40)}</span>}
      </p>
    </>
  );
}
