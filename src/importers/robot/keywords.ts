import type { Attributes } from '../xml/reader.js';

/** Elements that ran: keywords, and what stands around them in a test. */
const STEPS = new Set([
  'kw',
  'for',
  'while',
  'iter',
  'if',
  'try',
  'branch',
  'group',
  'return',
  'break',
  'continue',
  'variable',
  'error',
]);

export function isStep(tag: string): boolean {
  return STEPS.has(tag);
}

/** `Setup: Open Browser  ${URL}`, `FOR IN RANGE`, `IF ${a} > 1`. */
export function stepName(tag: string, attributes: Attributes, args: readonly string[]): string {
  const { name = '', type = '', condition = '', flavor = '' } = attributes;
  const words = [...args].join('  ');
  switch (tag) {
    case 'kw': {
      const kind = /^(?:setup|teardown)$/i.test(type)
        ? `${type[0]!.toUpperCase()}${type.slice(1).toLowerCase()}: `
        : '';
      // Before version 4, a loop was a keyword of this type.
      return `${kind}${name || type.toUpperCase()}${words === '' ? '' : `  ${words}`}`;
    }
    case 'branch':
      return `${type} ${condition}`;
    case 'for':
      return `FOR ${flavor}`;
    case 'while':
      return `WHILE ${condition}`;
    case 'iter':
      return 'ITERATION';
    case 'group':
      return name === '' ? 'GROUP' : name;
    case 'variable':
      return `VAR ${name}`;
    default:
      return tag.toUpperCase();
  }
}
