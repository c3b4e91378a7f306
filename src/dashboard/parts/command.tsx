/** A command to copy into a terminal. */
export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div class="command">
      <pre class="block" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <copy-button data-text={text} />
    </div>
  );
}

/** Posts a first run. It names no key: pages do not know any. */
export function postRun(origin: string, project: string): string {
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
    `  -H "Authorization: $TESTLEDGER_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}
