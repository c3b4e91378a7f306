import type { VNode } from 'preact';

/** A part of a page that changes by itself: the stream of the page replaces its content, by this id. */
export function Live({
  id,
  children,
  class: inText,
}: {
  id: string;
  children: VNode | undefined;
  /** Of a part within a line of text. Left out: the part is a block. */
  class?: string;
}) {
  if (inText === undefined) return <div id={`live-${id}`}>{children}</div>;
  return (
    <span id={`live-${id}`} class={inText}>
      {children}
    </span>
  );
}
