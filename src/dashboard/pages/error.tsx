/** The answer where a page cannot be shown. */
export function ErrorPage({ code, message }: { code: string; message: string }) {
  return (
    <section class="panel error-page">
      <h1>{message}</h1>
      {code === 'not_found' && (
        <p>It may be in a team that you are not a member of, or somebody has deleted it.</p>
      )}
      <p>
        <a href="/">Back to the start</a>, or <a href={`/problems/${code}`}>what this error means</a>.
      </p>
    </section>
  );
}
