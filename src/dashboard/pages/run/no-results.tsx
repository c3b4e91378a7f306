/** What a page of a run shows in place of its results, until there are some. */
import type { RunFacts } from './read-run.js';

/** Loads the page again by itself, because the lists of failures are no live parts. The link is for where that fails. */
export function FirstResults() {
  return (
    <first-results>
      <p class="panel empty">
        The first results have come. <a href="">Show them</a>
      </p>
    </first-results>
  );
}

export function NoResults({ facts: { run, project } }: { facts: RunFacts }) {
  const isOver = run.status === 'completed';
  return (
    <div class="panel empty">
      <p>
        {isOver
          ? 'This run was completed without any result.'
          : 'This run has no results yet. They show here by themselves as they come.'}
      </p>
      {!isOver && (
        <>
          <p>Send one, with an API key of a member:</p>
          <pre class="block start">
            {`curl -X POST "$TESTLEDGER_URL/v1/test/result/" \\
  -H "Authorization: $TESTLEDGER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"project_id":"${project.id}","test_run_id":"${run.id}","test_name":"pays by card","status":"Passed"}'`}
          </pre>
        </>
      )}
    </div>
  );
}
