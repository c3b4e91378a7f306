/**
 * What Microsoft Teams takes: a message with one Adaptive Card. The parser of Microsoft itself judges the card
 * (`adaptivecards`, whose JavaScript is that of the published schema): what it does not know, it leaves out.
 */
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';

type Parser = {
  AdaptiveCard: new () => {
    parse(card: unknown, context: object): void;
    toJSON(): unknown;
    validateProperties(): { validationEvents: { message: string }[] };
  };
  SerializationContext: new (version: object) => {
    eventCount: number;
    getEventAt(n: number): { message: string };
  };
  Version: { parse(text: string): object };
};

const { AdaptiveCard, SerializationContext, Version } = openParser();

/** Node can load only its build for browsers, which asks for their global object. */
function openParser(): Parser {
  Object.assign(globalThis, { self: globalThis });
  try {
    return createRequire(import.meta.url)('adaptivecards/dist/adaptivecards.js') as Parser;
  } finally {
    Reflect.deleteProperty(globalThis, 'self');
  }
}

/** What of a body Teams would refuse, or would not show. */
export function faultsForTeams(body: unknown): string[] {
  const { type, attachments, ...others } = body as Record<string, unknown>;
  if (type !== 'message' || !Array.isArray(attachments) || Object.keys(others).length > 0)
    return ['it is no message with attachments'];
  const [{ contentType, content }] = attachments as [{ contentType: string; content: { version: string } }];
  if (attachments.length !== 1 || contentType !== 'application/vnd.microsoft.card.adaptive')
    return ['it has no Adaptive Card alone'];
  // Teams shows cards up to 1.5.
  if (!['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'].includes(content.version))
    return ['Teams has no such version'];
  const context = new SerializationContext(Version.parse(content.version));
  const card = new AdaptiveCard();
  card.parse(content, context);
  const events = Array.from({ length: context.eventCount }, (_, n) => context.getEventAt(n).message);
  const invalid = card.validateProperties().validationEvents.map(({ message }) => message);
  const isWhole = isDeepStrictEqual(sorted(card.toJSON()), sorted(content));
  return [...events, ...invalid, ...(isWhole ? [] : ['the parser leaves something out'])];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
