/** Environments of jobs, and files with their events, for the tests of what CI services say. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const github = {
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '4711',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_SHA: 'aaaa',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_ACTOR: 'ada',
  GITHUB_WORKSPACE: '/checkout',
};

export const gitlab = {
  GITLAB_CI: 'true',
  CI_PIPELINE_ID: '77',
  CI_JOB_ID: '501',
  CI_PROJECT_PATH: 'acme/shop',
  CI_PROJECT_URL: 'https://gitlab.example/acme/shop',
  CI_COMMIT_SHA: 'bbbb',
  CI_COMMIT_REF_NAME: 'main',
  GITLAB_USER_LOGIN: 'ada',
};

/** Runs the check with the path of a file that has the event. */
export async function withEvent<T>(event: object, check: (path: string) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-ci-'));
  try {
    const path = join(folder, 'event.json');
    await writeFile(path, JSON.stringify(event));
    return check(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
