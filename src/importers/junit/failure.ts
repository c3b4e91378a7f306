import { cutText } from '../values/bounded-text.js';
import { bounds, type ReportedError } from '../reported.js';

/** An element `failure`, `error`, or one of a retry. */
export type Failure = { tag?: string; message: string; type: string; text: string };

/** The first failure is the message. The others follow in the stack, so that none is lost. */
export function errorOf(failures: readonly Failure[], caseName: string): ReportedError | null {
  const [first, ...others] = failures;
  if (first === undefined) return null;
  const text = trimmed(first.text);
  const message = messageOf(first.message, first.type, text);
  const stacks = [text, ...others.map(describe)].filter((part) => part !== '' && part !== message);
  return {
    message,
    type: first.type.trim() === '' ? null : first.type.trim(),
    stack: stacks.length === 0 ? null : cutText(stacks.join('\n\n'), bounds.stack),
    hook: hookOf(first.message, caseName),
  };
}

/** The attribute, or the first line of the text where only the text says something. */
function messageOf(attribute: string, type: string, text: string): string | null {
  const message = attribute.trim();
  if (message === '') return firstLine(text);
  // Playwright writes the place and the title of the test, and the error only into the text.
  if (type === 'FAILURE' && /^\S+:\d+:\d+ /.test(message)) return lineOfError(text) ?? message;
  return message;
}

function lineOfError(text: string): string | null {
  return /^ *(\w*Error: .*)$/m.exec(text)?.[1]?.trim() ?? null;
}

function firstLine(text: string): string | null {
  return /\S.*/.exec(text)?.[0].trim() ?? null;
}

function describe({ message, type, text }: Failure): string {
  const body = trimmed(text);
  const head = [type.trim(), message.trim()].filter((part) => part !== '').join(': ');
  return head === '' || (body.includes(message.trim()) && message.trim() !== '')
    ? body
    : `${head}\n${body}`.trim();
}

/** Without empty lines around it. The indent of its first line stays. */
function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

/** The set-up or tear-down that failed: pytest says it in the message, mocha in the name. */
function hookOf(message: string, name: string): string | null {
  const phase = /^failed on (setup|teardown) with /.exec(message.trim())?.[1];
  return phase ?? /"(?:before|after) (?:each|all)" hook(?:: [\w $.-]+?(?= for |$))?/.exec(name)?.[0] ?? null;
}
