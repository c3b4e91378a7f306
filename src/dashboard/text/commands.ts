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

export function importReports(origin: string, project: string): string {
  return [
    `export TESTLEDGER_URL=${origin} TESTLEDGER_PROJECT=${project}`,
    "testledger import 'reports/**/*.xml'",
  ].join('\n');
}
