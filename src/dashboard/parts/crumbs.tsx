/** The way to a page, above its heading. */

/** Without an address: the page itself, or one that the reader does not see. */
export type Crumb = readonly [text: string, href?: string | undefined];

export function Crumbs({ steps }: { steps: readonly Crumb[] }) {
  return (
    <ol class="crumbs" aria-label="Place">
      {steps.map(([text, href], n) => (
        <li aria-current={href === undefined && n === steps.length - 1 ? 'page' : undefined}>
          {href === undefined ? (
            text
          ) : (
            <a class="name" href={href}>
              {text}
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}
