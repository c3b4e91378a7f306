import { SaxesParser } from 'saxes';

/** Fields of the parser that its types hide. Its interface is frozen, and `states` fails where they are gone. */
export type Hidden = {
  text: string;
  name: string;
  entity: string;
  state: number;
  parseEntity: (entity: string) => string;
};

/** The values of `state` inside a text, a CDATA section and a comment. */
export const states = (() => {
  const parser = new SaxesParser();
  parser.on('text', () => {});
  parser.on('cdata', () => {});
  parser.on('comment', () => {});
  const hidden = parser as unknown as Hidden;
  const stateAfter = (text: string): number => {
    parser.write(text);
    if (hidden.text !== 'x' || typeof hidden.parseEntity !== 'function')
      throw new Error('This version of saxes keeps its text elsewhere.');
    return hidden.state;
  };
  return { text: stateAfter('<a>x'), cdata: stateAfter('<![CDATA[x'), comment: stateAfter(']]><!--x') };
})();
