/** The moments at which a run, a result or a test changed. Each leads to the page as of then. */
import type { Instant } from '../../domain/event.js';
import { withParams } from '../parts/lists/pager.js';
import { Ago } from '../parts/time.js';
import type { Moment } from './moments.js';

export function TimeLine({ moments, url }: { moments: readonly Moment[]; url: URL }) {
  const asOf = url.searchParams.get('as_of');
  if (moments.length === 0) return null;
  const here = hereIn(moments, asOf);
  return (
    <nav class="time-line small" aria-label="Time line">
      <ol>
        {/* Every other age on a page is of the time at which something ran. */}
        <li class="soft">Recorded</li>
        {moments.map(({ at, label }, n) => (
          <li>
            <a
              href={withParams(url, { as_of: at, page: null })}
              aria-current={n === here ? 'true' : undefined}
            >
              {label}
            </a>{' '}
            <span class="soft">
              <Ago at={at} />
            </span>
          </li>
        ))}
        <li>
          <a
            data-now
            href={withParams(url, { as_of: null })}
            aria-current={asOf === null ? 'true' : undefined}
          >
            Now
          </a>
        </li>
      </ol>
    </nav>
  );
}

/** The moment that the page is of: the last one that is not later. */
function hereIn(moments: readonly Moment[], asOf: Instant | null): number {
  if (asOf === null) return -1;
  return moments.findLastIndex(({ at }) => at <= asOf);
}
