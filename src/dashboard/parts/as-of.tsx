/** How new the page is, and whether it is kept up to date. It stands in a live part. */
export function AsOf({ position, at }: { position: string | null; at: Date }) {
  const iso = at.toISOString();
  return (
    <p class="as-of soft small">
      <span class="live-state" aria-hidden="true" />
      as of{' '}
      <time
        dateTime={iso}
        title={position === null ? undefined : `Position in the log: ${position.replace(/^0+(?=\d)/u, '')}`}
      >
        {iso.slice(11, 19)} UTC
      </time>
    </p>
  );
}
