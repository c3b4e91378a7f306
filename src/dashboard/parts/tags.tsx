/** The tags of a test or a result, each a link to the tests that have it. `base`: the path of the project. */
export function Tags({ tags, base }: { tags: readonly string[]; base: string }) {
  return (
    <>
      {tags.map((tag, n) => (
        <>
          {n > 0 && ', '}
          <a class="name break" href={`${base}/tests?tag=${encodeURIComponent(tag.toWellFormed())}`}>
            {tag}
          </a>
        </>
      ))}
    </>
  );
}
