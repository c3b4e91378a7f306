/** The addresses of the pages that a link to a run shows. They lead to nothing else. */
import type { Links } from '../pages/run/links.js';

export const SHARED_BASE = '/shared' as const;

export function linksOfShared(token: string, run: string): Links {
  const base = `${SHARED_BASE}/${encodeURIComponent(token)}`;
  const result = (id: string): string => `${base}/results/${encodeURIComponent(id)}`;
  const nowhere = (): undefined => undefined;
  return {
    run: (id) => (id === run ? base : undefined),
    results: (_: string, query?: string) => `${base}/results${query ?? ''}`,
    failures: () => `${base}/failures`,
    failuresOf: (_, group) => `${base}/failures/${encodeURIComponent(group)}`,
    result,
    artifact: (id, of) => `${result(of)}/artifacts/${encodeURIComponent(id)}`,
    teamPage: nowhere,
    change: nowhere,
    project: nowhere,
    resultHistory: nowhere,
    compare: nowhere,
    history: nowhere,
    shares: nowhere,
    group: nowhere,
    branch: nowhere,
    branches: nowhere,
    test: nowhere,
  };
}
