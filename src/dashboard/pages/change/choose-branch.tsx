/** The choice of a branch to compare with. Without scripts it is a plain form. */
import { cut } from '../../text/short.js';
import type { PageApi } from '../../page-api.js';
import type { Project } from '../project/frame.js';

const LOOKED_THROUGH = 100;
const OFFERED = 50;

/** The branches of the newest runs of the project, the default branch first. `own` is not among them. */
export async function readOtherBranches(
  api: Pick<PageApi, 'get'>,
  project: Project,
  own: string,
): Promise<string[]> {
  const { data } = await api.get('/v1/test-runs', {
    query: { project_id: project.id, per_page: LOOKED_THROUGH },
  });
  const names = [project.default_branch, ...data.flatMap(({ branch }) => branch ?? [])];
  return [...new Set(names)].filter((name) => name !== own).slice(0, OFFERED);
}

export function ChooseBranch({
  action,
  own,
  others,
  chosen = '',
}: {
  action: string;
  own: string;
  others: readonly string[];
  chosen?: string;
}) {
  const offered = chosen === '' || others.includes(chosen) ? others : [chosen, ...others];
  if (offered.length === 0) return null;
  return (
    <form class="filters" method="get" action={action}>
      <input type="hidden" name="branch" value={own} />
      <div class="field">
        <label for="with">Compare with the branch</label>
        <select id="with" name="with">
          {offered.map((name) => (
            <option value={name} selected={name === chosen}>
              {cut(name, 80)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Compare</button>
    </form>
  );
}
