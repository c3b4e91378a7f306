/**
 * The two outputs of a command. The result goes to stdout: text for a person, or JSON with `--json`. Everything else,
 * such as progress, goes to stderr, so that a pipe gets the result alone.
 */
import { styleText } from 'node:util';
import { exitCodes } from './exit-codes.js';

export type Terminal = {
  /** Whether the result is JSON. */
  readonly json: boolean;
  /** The result of the command, once. `text` is for a person; its lines may be none. */
  result(value: unknown, text: readonly string[]): void;
  /**
   * One row of a result that has any number of them, as NDJSON, whatever `--json` says. Resolves when stdout takes more: a
   * slow reader of the pipe must not fill the memory. Ends the program once the reader is gone.
   */
  row(value: unknown): Promise<void>;
  /** A line for a person, on stderr: progress, a warning. */
  note(line: string): void;
  /** Text in a style, for `note`; plain where stderr is no terminal, or NO_COLOR is set. */
  styled: Styled;
  /** The same, for the text of `result`. */
  styledResult: Styled;
  /** Whether a person sees stderr as it is written: only then is a progress bar drawn. */
  readonly isInteractive: boolean;
};

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';
type Styled = (style: Style, text: string) => string;

/** Node opens stdout again after an error, so the stream itself does not know. */
let hasReader = true;

/**
 * A person may have piped the output into `head`: the rest has no reader, and that is no fault. The command goes on, because
 * its exit code may fail a build.
 */
export function allowClosedOutputs(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (output === process.stdout) hasReader = false;
    });
}

export function terminalOf(json: boolean): Terminal {
  return {
    json,
    result: (value, text) => {
      const lines = json ? [asJson(value)] : text;
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    },
    row: async (value) => {
      const { stdout } = process;
      if (hasReader && stdout.write(`${asJson(value)}\n`)) return;
      await new Promise<void>((resolve) => {
        if (!hasReader) return resolve();
        const go = () => {
          stdout.off('drain', go).off('error', go);
          resolve();
        };
        stdout.on('drain', go).on('error', go);
      });
      // Without a reader, a stream without an end would go on for ever.
      if (!hasReader) process.exit(exitCodes.ok);
    },
    note: (line) => void process.stderr.write(`${line}\n`),
    // Node's own rules: no colours into a pipe or a file, none with NO_COLOR.
    styled: (style, text) => styleText(style, text, { stream: process.stderr }),
    styledResult: (style, text) => styleText(style, text, { stream: process.stdout }),
    isInteractive: process.stderr.isTTY,
  };
}

/** GitHub and Azure run `##[…]` and `##vso[…]` wherever they stand in a line of a log, and names of tests are in it. */
function asJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('##', String.raw`#\u0023`);
}
