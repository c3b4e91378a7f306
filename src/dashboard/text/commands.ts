/** Commands that send runs to a project, to copy into a terminal. */

/**
 * Posts a first run. Without a key, it takes the one of the environment: a page knows a key only when it is made. Nothing
 * in it needs more quotes than are there: keys, ids and origins have no such signs.
 */
export function postRun(origin: string, project: string, key = '$TESTLEDGER_API_KEY'): string {
  const body = {
    project_id: project,
    label: 'First run',
    results: [
      { name: 'cart › adds an item', status: 'passed', duration_ms: 120 },
      { name: 'cart › shows the sum', status: 'failed', error_message: 'Error: expected 3 to equal 2' },
    ],
  };
  return [
    `curl ${origin}/v1/test-runs \\`,
    `  -H "Authorization: ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

/** Runs tests in a job, sends their reports, and fails for what is new. The key is a secret of the CI service. */
export function recipes(origin: string, project: string): { name: string; text: string }[] {
  const get = 'curl -fsSO "$TESTLEDGER_URL/clients/testledger.mjs"';
  const run = "node testledger.mjs run --reports 'reports/**/*.xml' -- npm test";
  const github = [
    '- env:',
    `    TESTLEDGER_URL: ${origin}`,
    `    TESTLEDGER_PROJECT: ${project}`,
    '    TESTLEDGER_API_KEY: ${{ secrets.TESTLEDGER_API_KEY }}',
    '  run: |',
    `    ${get}`,
    `    ${run}`,
  ];
  const gitlab = [
    'test:',
    '  image: node:22',
    '  variables:',
    `    TESTLEDGER_URL: ${origin}`,
    `    TESTLEDGER_PROJECT: ${project}`,
    '  script:',
    `    - ${get}`,
    `    - ${run}`,
  ];
  const jenkins = [
    "withCredentials([string(credentialsId: 'testledger', variable: 'TESTLEDGER_API_KEY')]) {",
    `  withEnv(['TESTLEDGER_URL=${origin}', 'TESTLEDGER_PROJECT=${project}']) {`,
    `    sh '${get}'`,
    `    sh "${run}"`,
    '  }',
    '}',
  ];
  const shell = [`export TESTLEDGER_URL=${origin} TESTLEDGER_PROJECT=${project}`, get, run];
  return [
    { name: 'Shell', text: shell.join('\n') },
    { name: 'GitHub Actions, a step', text: github.join('\n') },
    { name: 'GitLab', text: gitlab.join('\n') },
    { name: 'Jenkins, in a stage', text: jenkins.join('\n') },
  ];
}
