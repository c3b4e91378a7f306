import type { ComponentChildren } from 'preact';

/** A name and its value, in a `<dl>`. `wide`: on a line of its own. */
export function Fact({
  name,
  wide = false,
  children,
}: {
  name: string;
  wide?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={wide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
