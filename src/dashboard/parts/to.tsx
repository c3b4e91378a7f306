import type { ComponentChildren } from 'preact';

/** A link to another page; only its text where the reader does not see that page. */
export function To({
  href,
  children,
  ...rest
}: {
  href: string | undefined;
  class?: string;
  children: ComponentChildren;
}) {
  if (href === undefined) return <span {...rest}>{children}</span>;
  return (
    <a href={href} {...rest}>
      {children}
    </a>
  );
}
