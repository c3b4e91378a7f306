import { boundedText, type BoundedText } from '../values/bounded-text.js';
import type { Attributes, XmlHandler } from './reader.js';

/** What happens with the text and at the end of an element. */
export type Element = { text?: ((piece: string) => void) | undefined; close?: (() => void) | undefined };

/** A handler that keeps the open elements, so that each text and each end goes to the element that it belongs to. */
export function elements(
  open: (tag: string, attributes: Attributes, parent: string) => Element | null,
): XmlHandler {
  const opened: { tag: string; element: Element | null }[] = [];
  return {
    open(tag, attributes) {
      const element = open(tag, attributes, opened.at(-1)?.tag ?? '');
      opened.push({ tag, element });
    },
    text: (piece) => opened.at(-1)?.element?.text?.(piece),
    close: () => opened.pop()?.element?.close?.(),
  };
}

/** An element whose text is handed on at its end. */
export function textElement(most: number, done: (text: string, whole: BoundedText) => void): Element {
  const text = boundedText(most);
  return { text: text.add, close: () => done(text.text(), text) };
}
