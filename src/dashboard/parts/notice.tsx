/** Notices above a page, and what a page shows only this once. */
import type { ComponentChildren } from 'preact';

export function Fault({ message }: { message: string | null | undefined }) {
  if (message === null || message === undefined) return null;
  return (
    <p class="notice error" role="alert">
      {message}
    </p>
  );
}

export function Saved() {
  return (
    <p class="notice done" role="status">
      Saved.
    </p>
  );
}

/** A text that nobody can read again, with a button that copies it. */
export function ShownOnce({
  title,
  text,
  label = 'Copy',
  children,
}: {
  title: string;
  text: string;
  label?: string;
  children?: ComponentChildren;
}) {
  return (
    <section class="notice done once" role="status">
      <h2>{title}</h2>
      <Copied text={text} label={label} />
      {children}
    </section>
  );
}

/** A text to copy. Without scripts it can be selected. */
export function Copied({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <div class="copied">
      <pre class="block" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <copy-button data-text={text} data-label={label} />
    </div>
  );
}
