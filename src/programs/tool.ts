/** A tool of MCP as data: its arguments, and what it reads or does over the API. */
import { isAppError, type AppError } from '../errors.js';
import type { MemberRole } from '../domain/teams/roles.js';
import type { TextSource } from '../dashboard/pages/texts.js';
import type { KeyEntry } from '../keys/api-keys.js';

export type Argument = {
  type: 'string' | 'integer';
  description: string;
  required?: boolean;
  /** The greatest number. */
  most?: number;
};

/** Arguments that were checked. */
export type Given = Readonly<Record<string, string | number | undefined>>;

export type ToolSource = TextSource & {
  key: KeyEntry;
  artifactText(key: KeyEntry, id: string): Promise<object>;
};

export type Tool = {
  name: string;
  description: string;
  /** Keys below this role do not see it. */
  role: MemberRole;
  arguments: Readonly<Record<string, Argument>>;
  /** Returns a JSON object of at most 20,000 bytes. @throws AppError, ToolError */
  run(source: ToolSource, given: Given): Promise<object>;
};

/** A call that the caller can put right, with the argument that is wrong. */
export class ToolError extends Error {
  readonly argument: string | null;
  readonly code: string;

  constructor(argument: string | null, message: string, code = 'validation_failed') {
    super(message);
    this.argument = argument;
    this.code = code;
  }
}

/** @throws ToolError that names the argument */
export function checkArguments(tool: Tool, sent: Readonly<Record<string, unknown>>): Given {
  for (const name of Object.keys(sent))
    if (!Object.hasOwn(tool.arguments, name))
      throw new ToolError(name, `${name} is no argument of ${tool.name}.`);
  for (const [name, { type, required = false, most }] of Object.entries(tool.arguments)) {
    const value = sent[name];
    if (value === undefined || value === null) {
      if (required) throw new ToolError(name, `${name} is required.`);
      continue;
    }
    // Before the first event, the position is empty.
    const isRight =
      type === 'string'
        ? typeof value === 'string' && (value !== '' || name === 'after')
        : Number.isSafeInteger(value) && Number(value) >= 1;
    if (!isRight)
      throw new ToolError(name, `${name} must be ${type === 'string' ? 'a text' : 'a whole number from 1'}.`);
    if (most !== undefined && Number(value) > most)
      throw new ToolError(name, `${name} must be at most ${most}.`);
  }
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)) as Given;
}

/** What a tool answers for an error; null for a fault of the server. */
export function toolErrorOf(
  error: unknown,
  given: Given,
): { code: string; message: string; argument: string | null } | null {
  if (error instanceof ToolError)
    return { code: error.code, message: error.message, argument: error.argument };
  if (!isAppError(error)) return null;
  return { code: error.code, message: messageOf(error), argument: argumentOf(error, given) };
}

function messageOf({ message, fields }: AppError): string {
  return fields.length === 0
    ? message
    : fields.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join('; ');
}

/** A field has the name of its argument. Of several ids, the one that the message is about. */
function argumentOf({ code, message, fields }: AppError, given: Given): string | null {
  const [field] = fields;
  if (field !== undefined) {
    const name = field.pointer.replace(/^[/?]/, '');
    return Object.hasOwn(given, name) ? name : null;
  }
  if (code !== 'not_found') return null;
  const names = Object.keys(given);
  if (message.includes('other run') && names.includes('baseline')) return 'baseline';
  const about = names.find((name) => message.includes(` ${name.replace(/_id$/, '')}`));
  return about ?? names.find((name) => /_id$|^group$/.test(name)) ?? null;
}
