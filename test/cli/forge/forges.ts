/** The variables of a job on each forge, with the stand-in forge in its place. */
import { TOKEN, type FakeForge } from './fake-forge.js';

type Env = Record<string, string>;

export const forges: Record<'GitHub' | 'GitLab', (forge: FakeForge) => Env> = {
  GitHub: ({ url }) => ({ GITHUB_REPOSITORY: 'shop/cart', GITHUB_API_URL: url, GITHUB_TOKEN: TOKEN }),
  GitLab: ({ url }) => ({
    CI_API_V4_URL: `${url}/api/v4`,
    CI_PROJECT_ID: '5',
    CI_MERGE_REQUEST_IID: '12',
    TESTLEDGER_GITLAB_TOKEN: TOKEN,
  }),
};
