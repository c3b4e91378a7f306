/** The answer where a page cannot be shown. */
export function ErrorPage({ code, message }: { code: string; message: string }) {
  return (
    <section class="error-page">
      <h1>{message}</h1>
      <p>
        <a href={`/problems/${code}`}>
          What <code>{code}</code> means
        </a>
        , or <a href="/">back to the start</a>.
      </p>
    </section>
  );
}
