/** The builds of a pull request or a branch before its newest one. */
import { ranAt } from '../../../domain/instant.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import { counted, Outcome } from '../../parts/outcome.js';
import { OutOf } from '../../parts/out-of.js';
import { Ago } from '../../parts/time.js';
import { compareUrl } from '../../text/repo-links.js';
import { cut, shortCommit } from '../../text/short.js';
import type { Project } from '../project/frame.js';
import type { Change, Wanted } from './read-change.js';

export function Before({
  builds,
  wanted,
  project,
  base,
}: {
  builds: Change['before'];
  wanted: Wanted;
  project: Project;
  base: string;
}) {
  if (builds.length === 0) return null;
  return (
    <>
      <h2>Builds before it</h2>
      <ul class="panel rows">
        {builds.map((runs, n) => {
          const [newest] = runs;
          const state = runs.some((run) => stateOf(run) === 'failed') ? 'failed' : stateOf(newest!);
          return (
            <li data-row={state === 'failed' ? 'failed' : ''}>
              <Outcome of={state} plain />
              <div class="what">
                <a class="title break" href={`${base}/runs/${newest!.id}`}>
                  {cut(titleOfRun(newest!), 120)}
                </a>
                <p class="soft small">
                  {counted(runs.length, 'run')}
                  {newest!.commit !== null && !('commit' in wanted) && (
                    <>
                      {' '}
                      <a
                        href={`${base}/projects/${project.id}/change?${new URLSearchParams({ commit: newest!.commit }).toString()}`}
                      >
                        <code>{shortCommit(newest!.commit)}</code>
                      </a>
                    </>
                  )}{' '}
                  <OutOf href={compareUrl(project, builds[n + 1]?.[0]?.commit ?? null, newest!.commit)}>
                    what changed
                  </OutOf>{' '}
                  <Ago at={ranAt(newest!)} />
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
