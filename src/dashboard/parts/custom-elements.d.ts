/** The custom elements that `browser/` defines. Without scripts they show what the server has put into them. */
import type { ComponentChildren } from 'preact';

type CustomElement = { class?: string; id?: string; hidden?: boolean; children?: ComponentChildren } & Record<
  `data-${string}`,
  string | undefined
>;

declare module 'preact' {
  namespace JSX {
    // Declarations of an interface are merged; those of a type are not.
    // oxlint-disable-next-line typescript/consistent-type-definitions
    interface IntrinsicElements {
      'time-ago': CustomElement;
      'copy-button': CustomElement;
      'first-results': CustomElement;
      'fresh-failures': CustomElement;
      'later-part': CustomElement;
      'log-view': CustomElement;
      'duration-chart': CustomElement;
      'editor-link': CustomElement;
      'editor-setting': CustomElement;
      'image-diff': CustomElement;
    }
  }
}
