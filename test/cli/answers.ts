/** The answer of the command line: its exit code, the document on stdout, and the text on stderr. */
import { expect } from 'chai';
import type { Program } from '../kit/process.js';

export type Answer = {
  code: number | null;
  document: Record<string, unknown>;
  stdout: string;
  stderr: string;
};

/** Waits for the end of a command with `--json`. */
export async function answerOf(program: Program): Promise<Answer> {
  const { code } = await program.ended;
  const [stdout, stderr] = [program.stdout(), program.stderr()];
  expect(stdout, stderr).to.match(/^\{.*\}\n$/);
  return { code, document: JSON.parse(stdout) as Record<string, unknown>, stdout, stderr };
}
