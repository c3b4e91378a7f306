import type { ComponentChildren } from 'preact';

/** A link to another site, where there is one. The API answers web addresses only; another scheme would be a script. */
export function OutOf({ href, children }: { href: string | null; children: ComponentChildren }) {
  if (href === null || !/^https?:\/\//iu.test(href)) return <>{children}</>;
  return (
    <a href={href} rel="noreferrer noopener">
      {children}
    </a>
  );
}
