/** Marks of failures at their lines, which GitHub shows beside a change. */
import type { Result } from './facts.js';
import { firstLines, onOneLine } from '../../domain/text/harmless.js';

/** GitHub shows ten of a step, and drops the others without a word. */
export const MOST_ANNOTATIONS = 10;

/** The workflow commands for the first results. A result without a file is shown on the page of the run of the workflow. */
export function annotationsOf(results: readonly Result[]): string[] {
  return results.slice(0, MOST_ANNOTATIONS).map(({ name, file, line, error, error_message }) => {
    const properties = [
      ...(file === null ? [] : [`file=${property(onOneLine(file, 300))}`]),
      ...(file === null || line === null ? [] : [`line=${line}`]),
      `title=${property(onOneLine(name, 255))}`,
    ];
    const message = error?.message ?? error_message ?? '';
    const shown =
      message.trim() === '' ? 'The test failed.' : firstLines(message, { lines: 20, length: 1_000 });
    return `::error ${properties.join(',')}::${data(shown)}`;
  });
}

/** The escapes of workflow commands: a line break would begin another command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
