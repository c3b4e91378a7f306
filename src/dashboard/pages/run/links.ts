/** The addresses of pages about runs and what is in them. Ids come from the API, and are escaped all the same. */

export type Links = ReturnType<typeof linksOf>;

/** `origin`: for addresses that are read in another place than on a page. */
export function linksOf(team: string, origin = '') {
  const base = `${origin}/teams/${encodeURIComponent(team)}`;
  const run = (id: string): string => `${base}/runs/${encodeURIComponent(id)}`;
  const project = (id: string): string => `${base}/projects/${encodeURIComponent(id)}`;
  return {
    team: base,
    project,
    run,
    result: (id: string): string => `${base}/results/${encodeURIComponent(id)}`,
    resultHistory: (id: string): string => `${base}/results/${encodeURIComponent(id)}/history`,
    results: (id: string, query = ''): string => `${run(id)}/results${query}`,
    compare: (id: string, query = ''): string => `${run(id)}/compare${query}`,
    failures: (id: string): string => `${run(id)}/failures`,
    failuresOf: (id: string, group: string): string => `${run(id)}/failures/${encodeURIComponent(group)}`,
    history: (id: string): string => `${run(id)}/history`,
    group: (id: string, group: string): string => `${project(id)}/failures/${encodeURIComponent(group)}`,
    branch: (id: string, branch: string): string => `${project(id)}?branch=${encodeURIComponent(branch)}`,
    webhook: (id: string): string => `${base}/team/webhooks/${encodeURIComponent(id)}`,
  };
}
