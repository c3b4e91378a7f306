/** The tools of MCP that change something: a member sets and ends known failures. */
import { projectOfTest } from '../dashboard/pages/texts.js';
import { ToolError, type Tool } from './tool.js';

const test_id = { type: 'string', description: 'The id of the test', required: true } as const;

export const knownFailureTools: readonly Tool[] = [
  {
    name: 'set_known_failure',
    description: 'Says that failures of a test are known until a time, so that they fail no gate.',
    role: 'member',
    arguments: {
      test_id,
      reason: {
        type: 'string',
        description: 'Why, for people: at best with a link to an issue',
        required: true,
      },
      expires_at: {
        type: 'string',
        description: 'The time of its end, such as 2026-12-01T00:00:00Z',
        required: true,
      },
      branch: { type: 'string', description: 'Only on this branch; left out: on all' },
    },
    async run({ api }, { test_id: id, reason, expires_at, branch }) {
      const test = String(id);
      const params = { id: await projectOfTest(api, test), test };
      const body = { reason, expires_at, ...(branch !== undefined && { branch }) };
      const { data } = await api.send('put', '/v1/projects/{id}/tests/{test}/known-failure', {
        params,
        body,
      });
      return { test: { id: data.id, name: data.name }, known_failure: data.known_failure };
    },
  },
  {
    name: 'end_known_failure',
    description: 'Ends the known failure of a test.',
    role: 'member',
    arguments: { test_id, branch: { type: 'string', description: 'Only where it is known on this branch' } },
    async run({ api }, { test_id: id, branch }) {
      const test = String(id);
      const params = { id: await projectOfTest(api, test), test };
      const { data } = await api.get('/v1/projects/{id}/tests/{test}', { params });
      if (branch !== undefined && data.known_failure?.branch !== branch)
        throw new ToolError('branch', 'The test has no known failure on this branch.', 'not_found');
      await api.send('delete', '/v1/projects/{id}/tests/{test}/known-failure', { params });
      return { test: { id: data.id, name: data.name }, known_failure: null };
    },
  },
];
