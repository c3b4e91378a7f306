import type { ReportedError } from '../client/live/item.js';

/** Of a framework that joins type, message and stack. The first line of the stack begins with `at`. */
export function errorOfText(text: string): ReportedError {
  const [, message = text] = /^([\s\S]*?)\n\s+at /.exec(text) ?? [];
  const [, type] = /^((?:[A-Z]\w*)?(?:Error|Exception)): /.exec(message) ?? [];
  return { type, message: type === undefined ? message : message.slice(type.length + 2), stack: text };
}
