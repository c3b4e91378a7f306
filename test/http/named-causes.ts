/** The requests that name a group of failures of another team, through the routes by which people work on it. */

type Ids = { project: string; group: string };
type Sent = { path: string; body?: object };

export const namingCauses: Record<string, (theirs: Ids, own: Ids) => Sent[]> = {
  'GET /v1/projects/:id/failures/:group': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/failures/${theirs.group}` },
    { path: `/v1/projects/${own.project}/failures/${theirs.group}` },
  ],
  'PATCH /v1/projects/:id/failures/:group': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/failures/${theirs.group}`, body: { state: 'fixed' } },
    { path: `/v1/projects/${own.project}/failures/${theirs.group}`, body: { note: 'ours' } },
  ],
  'PUT /v1/projects/:id/failures/:group/known-failure': (theirs, own) => {
    const body = { reason: 'A reason', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    return [
      { path: `/v1/projects/${theirs.project}/failures/${theirs.group}/known-failure`, body },
      { path: `/v1/projects/${own.project}/failures/${theirs.group}/known-failure`, body },
    ];
  },
  'DELETE /v1/projects/:id/failures/:group/known-failure': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/failures/${theirs.group}/known-failure` },
    { path: `/v1/projects/${own.project}/failures/${theirs.group}/known-failure` },
  ],
  'GET /v1/projects/:id/failures/:group/history': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/failures/${theirs.group}/history` },
    { path: `/v1/projects/${own.project}/failures/${theirs.group}/history` },
  ],
  'GET /v1/projects/:id/failures/:group/tests': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/failures/${theirs.group}/tests` },
    { path: `/v1/projects/${own.project}/failures/${theirs.group}/tests` },
  ],
};
