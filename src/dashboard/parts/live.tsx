import type { VNode } from 'preact';

/** A part of a page that changes by itself: the stream of the page replaces its content, by this id. */
export function Live({ id, children }: { id: string; children: VNode | undefined }) {
  return <div id={`live-${id}`}>{children}</div>;
}
