import { filtered } from './filter/filter.js';
import { To } from './to.js';

/** The tags of a test or a result, each a link to the tests that have it. `base`: the path of the project; undefined for a reader who does not see it. */
export function Tags({ tags, base }: { tags: readonly string[]; base: string | undefined }) {
  return (
    <>
      {tags.map((tag, n) => (
        <>
          {n > 0 && ', '}
          <To class="name break" href={base && filtered(`${base}/tests`, { tag })}>
            {tag}
          </To>
        </>
      ))}
    </>
  );
}
