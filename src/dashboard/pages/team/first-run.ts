/** The command that posts a first run, to paste into a terminal. */

/** Nothing in it needs the quotes of a shell beyond those that are there: keys, ids and origins have no such signs. */
export function firstRun({ origin, key, project }: { origin: string; key: string; project: string }): string {
  const body = JSON.stringify({
    project_id: project,
    label: 'First run',
    results: [
      { name: 'cart adds an item', status: 'passed', duration_ms: 120 },
      { name: 'cart shows the sum', status: 'failed', error_message: 'Error: expected 3 to equal 2' },
    ],
  });
  return [
    `curl ${origin}/v1/test-runs \\`,
    `  -H 'Authorization: ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
