/** Says above a page that it shows a moment of the past, and leads back to now. */
import { withParams } from '../parts/lists/pager.js';

export function PastBanner({ moment, url }: { moment: string; url: URL }) {
  return (
    <p class="notice past" role="status">
      This page is as of <strong>{momentInWords(moment)}</strong>.{' '}
      <a data-now href={withParams(url, { as_of: null })}>
        Show it as it is now
      </a>
    </p>
  );
}

/** To the second, as people read it; a position as the number that it is. */
function momentInWords(moment: string): string {
  if (/^\d{20}(-\d{6})?$/u.test(moment)) return `position ${moment.replace(/^0+(?=\d)/u, '')}`;
  const at = new Date(moment);
  return Number.isNaN(at.getTime()) ? moment : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
