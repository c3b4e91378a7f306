/** The statuses and checks of the stand-in forge. */
import type { Answered, Asked } from './fake-request.js';

export type FakeStatus = {
  kind: 'status' | 'check';
  commit: string;
  name: string;
  /** As the forge has it; of a check its conclusion, or its status. */
  state: string;
  description: string;
  url: string;
  /** Only of a check. */
  run?: string;
  annotations?: { path: string; start_line: number; title: string; message: string }[];
  pipeline?: number;
};

export type FakeStatuses = {
  /** Checks too, in the order in which they were made. */
  statuses: FakeStatus[];
  /** GitHub lets only apps make checks. */
  takesChecks: boolean;
};

export function answerOfStatuses(forge: FakeStatuses, asked: Asked): Answered {
  const { method, pathname, searchParams, content, isGitLab } = asked;
  const commit = /\/statuses\/([^/]+)$/u.exec(pathname)?.[1];
  if (commit !== undefined) {
    const { state, target_url: url, description } = content;
    const name = isGitLab ? content.name : content.context;
    const before = forge.statuses.findLast((each) => each.name === name && each.commit === commit);
    if (isGitLab && state === 'running' && before?.state === 'running')
      return { status: 400, body: { message: 'Cannot transition status via :run from :running' } };
    const { pipeline_id: pipeline } = content;
    forge.statuses.push({
      kind: 'status',
      commit,
      name,
      state,
      description,
      url,
      ...(pipeline !== undefined && { pipeline }),
    });
    return { status: 201, body: {} };
  }
  if (!pathname.includes('/check-runs')) return null;
  if (!forge.takesChecks)
    return { status: 403, body: { message: 'You must authenticate via a GitHub App.' } };
  const checks = forge.statuses.filter(({ kind }) => kind === 'check');
  if (method === 'GET') {
    const found = checks.filter(
      ({ name, state }) => name === searchParams.get('check_name') && state === searchParams.get('status'),
    );
    const shown = found.map((check) => ({ id: forge.statuses.indexOf(check), external_id: check.run }));
    return { status: 200, body: { total_count: shown.length, check_runs: shown } };
  }
  const check: FakeStatus = {
    kind: 'check',
    commit: content.head_sha,
    name: content.name,
    state: content.conclusion ?? content.status,
    description: content.output.title,
    url: content.details_url,
    run: content.external_id,
    annotations: content.output.annotations,
  };
  const id = /\/check-runs\/(\d+)$/u.exec(pathname)?.[1];
  if (id === undefined) forge.statuses.push(check);
  else forge.statuses[Number(id)] = check;
  return { status: id === undefined ? 201 : 200, body: {} };
}
