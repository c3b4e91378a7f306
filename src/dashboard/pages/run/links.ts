/** The addresses of pages about runs and what is in them. Ids come from the API, and are escaped all the same. */
import { filtered } from '../../parts/filter/filter.js';

/** Those of a member of the team. */
export type TeamLinks = ReturnType<typeof linksOf>;

/** What a link to a run shows, too. */
type OfRun = 'results' | 'failures' | 'failuresOf' | 'result' | 'artifact';
type Elsewhere =
  | 'teamPage'
  | 'project'
  | 'run'
  | 'resultHistory'
  | 'compare'
  | 'history'
  | 'shares'
  | 'group'
  | 'branch'
  | 'change'
  | 'branches'
  | 'test';

/** Those of a member, or of the reader of a link: undefined for what they do not see. An `a` without an address is a text. */
export type Links = Pick<TeamLinks, OfRun> & {
  [Name in Elsewhere]: (...given: Parameters<TeamLinks[Name]>) => string | undefined;
};

/** `origin`: for addresses that are read in another place than on a page. */
export function linksOf(team: string, origin = '') {
  const base = `${origin}/teams/${encodeURIComponent(team)}`;
  const run = (id: string): string => `${base}/runs/${encodeURIComponent(id)}`;
  const project = (id: string): string => `${base}/projects/${encodeURIComponent(id)}`;
  return {
    teamPage: (): string => `${base}/projects`,
    project,
    run,
    result: (id: string): string => `${base}/results/${encodeURIComponent(id)}`,
    artifact: (id: string, _result: string): string => `${base}/artifacts/${encodeURIComponent(id)}`,
    resultHistory: (id: string): string => `${base}/results/${encodeURIComponent(id)}/history`,
    results: (id: string, query = ''): string => `${run(id)}/results${query}`,
    compare: (id: string, query = ''): string => `${run(id)}/compare${query}`,
    failures: (id: string): string => `${run(id)}/failures`,
    failuresOf: (id: string, group: string): string => `${run(id)}/failures/${encodeURIComponent(group)}`,
    history: (id: string): string => `${run(id)}/history`,
    shares: (id: string): string => `${run(id)}/links`,
    group: (id: string, group: string): string => `${project(id)}/failures/${encodeURIComponent(group)}`,
    branch: (id: string, branch: string): string => filtered(project(id), { branch }),
    change: (id: string, of: { commit: string } | { pull_request: string } | { branch: string }): string =>
      `${project(id)}/change?${new URLSearchParams(of).toString()}`,
    branches: (id: string, branch: string): string =>
      `${project(id)}/compare?${new URLSearchParams({ branch }).toString()}`,
    test: (id: string, test: string): string => `${project(id)}/tests/${encodeURIComponent(test)}`,
    webhook: (id: string): string => `${base}/team/webhooks/${encodeURIComponent(id)}`,
  };
}
