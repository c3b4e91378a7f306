/** The answer where a page cannot be shown. */
export function ErrorPage({ code, message }: { code: string; message: string }) {
  return (
    <section class="panel error-page">
      <h1>{message}</h1>
      <p>
        <a href="/">Back to the start</a>, or <a href={`/problems/${code}`}>what this error means</a>.
      </p>
    </section>
  );
}
