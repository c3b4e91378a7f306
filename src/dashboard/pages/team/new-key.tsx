/** A key that was just made, and how it is used. */
import type { PageRequest } from '../../page.js';
import { Copied, ShownOnce } from '../../parts/notice.js';
import { Recipes } from '../../parts/recipes.js';
import { postRun } from '../../text/commands.js';

/** `project`: one to which the key may post; null where there is none. */
export type Made = { name: string; role: string; key: string; project: string | null };

export function NewKey({
  made,
  request,
  project,
}: {
  made: Made;
  request: PageRequest;
  project: string | null;
}) {
  const { origin, team } = request;
  return (
    <>
      <ShownOnce title={`The key “${made.name}”`} text={made.key} label="Copy the key">
        <p class="soft small">
          It is shown only now: only its hash is kept. Put it into the secrets of your CI, as
          TESTLEDGER_API_KEY for example.
        </p>
      </ShownOnce>
      {made.role !== 'viewer' && project !== null && (
        <section class="panel">
          <h2>Post a first run</h2>
          <Copied text={postRun(origin, project, made.key)} label="Copy the command" />
          <p class="soft small">
            It appears at once under{' '}
            <a href={`/teams/${team.team_id}/projects/${project}`}>the runs of the project</a>.
          </p>
          <h2>Send the reports of your tests</h2>
          <Recipes origin={origin} project={project} />
        </section>
      )}
    </>
  );
}
