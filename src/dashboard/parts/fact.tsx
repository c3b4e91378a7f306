import type { ComponentChildren } from 'preact';

/** A name and its value, in a `<dl>`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
