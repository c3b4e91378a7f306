/** A link to another site. Only a web address is one: another scheme would be a script. */
import type { ComponentChildren } from 'preact';

/** `plain`: shows its content also without an address; else it shows nothing then. */
export function OutOf({
  href,
  plain = false,
  children,
}: {
  href: string | null;
  plain?: boolean;
  children: ComponentChildren;
}) {
  if (href === null || !/^https?:\/\//iu.test(href)) return plain ? <>{children}</> : null;
  return (
    <a href={href} rel="noreferrer noopener">
      {children}
    </a>
  );
}
