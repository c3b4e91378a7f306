/** A stack for people: the frames that are not of the project's own code come together, so that a page can fold them. */
import { plainLine } from './failure-text.js';
import { frameReader } from './stack-frames.js';

/** Lines as they were sent, with their escape codes. */
export type StackPart = { foreign: boolean; lines: string[] };

/** Nothing is foreign in a stack without an own frame: then each frame may be the one that says something. */
export function stackParts(stack: string): StackPart[] {
  const lines = stack.split(/\r?\n/);
  const marks = foreignLines(lines.map(plainLine), stack);
  const parts: StackPart[] = [];
  for (const [n, line] of lines.entries()) {
    const foreign = marks.hasOwn && marks.foreign[n] === true;
    const last = parts.at(-1);
    if (last?.foreign === foreign) last.lines.push(line);
    else parts.push({ foreign, lines: [line] });
  }
  return parts;
}

/** The lines of the stack without foreign frames. */
export function ownLines(stack: string): string[] {
  return stackParts(stack).flatMap(({ foreign, lines }) => (foreign ? [] : lines));
}

function foreignLines(lines: readonly string[], stack: string): { foreign: boolean[]; hasOwn: boolean } {
  const frameIn = frameReader(stack);
  const foreign: boolean[] = [];
  let hasOwn = false;
  for (const [n, line] of lines.entries()) {
    const frame = frameIn(line);
    const isForeign = frame?.own === false;
    hasOwn ||= frame?.own === true;
    foreign[n] = isForeign || (frame === null && foreign[n - 1] === true && belongsToFrame(line));
    // Go names the function in the line before its file.
    if (isForeign && n > 0 && /^\S+\(.*\)$/.test(lines[n - 1]!) && line.startsWith('\t'))
      foreign[n - 1] = true;
  }
  return { foreign, hasOwn };
}

/** The source that Python shows below a frame, with its marks, and the rest that Java leaves out. */
function belongsToFrame(line: string): boolean {
  return /^ {4}[^ ]|^ {4,}[\^~]+$|^\s*\.\.\. \d+ (?:more|common frames)/.test(line);
}
