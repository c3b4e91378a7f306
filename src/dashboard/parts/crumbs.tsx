/** The way to a page, above its heading. */

/** Without an address: the page itself. */
export type Crumb = readonly [text: string, href?: string];

export function Crumbs({ steps }: { steps: readonly Crumb[] }) {
  return (
    <ol class="crumbs" aria-label="Place">
      {steps.map(([text, href]) => (
        <li aria-current={href === undefined ? 'page' : undefined}>
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
