/** The flags that say what fails a build: of `gate`, and of `run -- <command>`. */
import type { Argv } from 'yargs';
import { failOnKinds, type FailOn } from './judge.js';

export type JudgeFlags = { 'fail-on': FailOn; 'require-upload': boolean };

/** `requireUpload` describes that flag: each command is without an answer for a reason of its own. */
export function judgeFlags<T>(parser: Argv<T>, requireUpload: string): Argv<T & JudgeFlags> {
  return parser
    .option('fail-on', {
      choices: failOnKinds,
      default: 'new' as const,
      describe: 'new: failures that the baseline does not have; known failures never count',
    })
    .option('require-upload', { type: 'boolean', default: false, describe: requireUpload });
}
