/** Parts of records. Their exact fields are in the API document, against which every answer is held (`conformity.ts`). */
const countNames = ['total', 'pending', 'running', 'passed', 'failed', 'skipped', 'known_fail'] as const;

/** What a run and a result show of metadata in which nothing is understood. */
export const notUnderstood = {
  run: {
    branch: null,
    commit: null,
    pull_request: null,
    ci_url: null,
    actor: null,
    tool: null,
    build: null,
    environment: null,
    environment_key: '',
  },
  result: {
    file: null,
    line: null,
    suite: null,
    owner: null,
    tags: [],
    links: [],
    error: null,
    environment: null,
    environment_key: '',
  },
  error: { type: null, message: null, stack: null, expected: null, actual: null, hook: null },
} as const;

/** Expects the form of every instant (docs/api.md, section 1). */
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Expects a TypeID of this kind. */
export function idOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);
}

/** Counts in which every status that is not named is zero. */
export function countsOf(some: Partial<Record<(typeof countNames)[number], number>>): object {
  return { ...Object.fromEntries(countNames.map((name) => [name, 0])), ...some };
}

/** The pagination of a first page of 20, unless `more` says otherwise. */
export function pagination(total: number, more: object = {}): object {
  return { page: 1, per_page: 20, total, total_pages: Math.ceil(total / 20), ...more };
}

/** What is said of a run as a baseline, and what the gate says of it, by the settings of a team that has set none. Nothing before its completion. */
export function judged(gate: 'passed' | 'failed' | null, gate_reasons: readonly string[] = []) {
  return {
    baseline: null,
    completed_by: gate && 'requested',
    report: { partial: false, failures_unread: 0 },
    empty: false,
    gate,
    gate_reasons,
    gate_settings: gate && { fail_on: 'new', max_removed: 'default', min_tests: null, max_known: null },
  };
}
