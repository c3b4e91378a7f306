/** Reads the HTML of a page as a browser does, and finds what does not come from the page itself. */
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { MARK } from './results/hostile-texts.js';

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** All elements in the order of the document. */
export function elementsIn(html: string): Element[] {
  const found: Element[] = [];
  const visit = (node: Node): void => {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return found;
}

export function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** The texts of all elements of a kind, each on a line. */
export function textIn(html: string, tagName: string): string {
  return elementsIn(html)
    .filter((element) => element.tagName === tagName)
    .map(textOf)
    .join('\n');
}

export function linksIn(html: string): string[] {
  return elementsIn(html).flatMap((element) => attributeOf(element, 'href') ?? []);
}

export function attributeOf({ attrs }: Element, name: string): string | null {
  return attrs.find((attribute) => attribute.name === name)?.value ?? null;
}

const addresses = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'data-src',
  'data-expected',
  'data-actual',
]);
const never = new Set([
  'iframe',
  'object',
  'embed',
  'base',
  'style',
  'template',
  'math',
  'animate',
  'noscript',
]);

/** What a text could have made: elements, attributes and addresses that no page has by itself. */
export function intruders(html: string): string[] {
  return elementsIn(html).flatMap((element) => {
    const { tagName, attrs } = element;
    const found = attrs.flatMap(({ name, value }) => {
      if (name.startsWith('on') || name === 'style' || name === 'srcdoc' || name.includes(MARK))
        return `the attribute ${name} of <${tagName}>`;
      if (!/^[a-z][a-z0-9-]*$/i.test(name)) return `the attribute ${name} of <${tagName}>`;
      if (name === 'id' && value === MARK) return `the id of <${tagName}>`;
      // A link of a test to another site, which only the page itself gives this relation.
      if (
        name === 'href' &&
        attributeOf(element, 'rel') === 'noreferrer noopener' &&
        /^https?:\/\//.test(value)
      )
        return [];
      // A path of this server, or a place in the page.
      if (addresses.has(name) && !/^(?:\/(?![/\\])|#|$)/.test(value)) return `the address ${value}`;
      return [];
    });
    if (never.has(tagName)) found.push(`<${tagName}>`);
    if (tagName === 'script' && !(attributeOf(element, 'src') ?? '').startsWith('/assets/'))
      found.push('<script>');
    if (tagName === 'meta' && attributeOf(element, 'http-equiv') !== null) found.push('<meta http-equiv>');
    return found;
  });
}
