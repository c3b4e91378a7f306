/** The flags that say what fails a build: of `gate`, and of `run -- <command>`. They win over the settings of the project. */
import type { ArgumentsCamelCase, Argv } from 'yargs';
import { failOnKinds, isMaxRemoved, type FailOn } from '../../domain/gate/judge-gate.js';
import type { OwnGate } from '../../domain/gate/settings.js';
import { failWith } from '../errors.js';

export type JudgeFlags = {
  'fail-on': FailOn | undefined;
  'max-removed': string | undefined;
  'min-tests': number | undefined;
  'max-known': number | undefined;
  'require-upload': boolean;
};

/** `requireUpload` describes that flag: each command is without an answer for a reason of its own. */
export function judgeFlags<T>(parser: Argv<T>, requireUpload: string): Argv<T & JudgeFlags> {
  return parser
    .option('fail-on', {
      choices: failOnKinds,
      describe: 'new: failures that the baseline does not have; by default, the settings of the project',
    })
    .option('max-removed', {
      type: 'string',
      requiresArg: true,
      describe: 'Tests of the baseline that may be missing: a number, a share such as 10%, default, or any',
    })
    .option('min-tests', { type: 'number', requiresArg: true, describe: 'Tests that must run' })
    .option('max-known', { type: 'number', requiresArg: true, describe: 'Known failures that may be there' })
    .option('require-upload', { type: 'boolean', default: false, describe: requireUpload });
}

/** The settings that the flags name. @throws CliError `usage` */
export function settingsOf(flags: ArgumentsCamelCase<JudgeFlags>): OwnGate {
  const { 'fail-on': fail_on, 'max-removed': removed } = flags;
  const min_tests = countOf('--min-tests', flags['min-tests']);
  const max_known = countOf('--max-known', flags['max-known']);
  return {
    ...(fail_on !== undefined && { fail_on }),
    ...(removed !== undefined && { max_removed: maxRemoved(removed) }),
    ...(min_tests !== undefined && { min_tests }),
    ...(max_known !== undefined && { max_known }),
  };
}

function maxRemoved(text: string): (OwnGate['max_removed'] & {}) | null {
  if (text === 'any') return null;
  if (isMaxRemoved(text)) return text;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  return failWith(
    'usage',
    `--max-removed must be a number, a share such as 10%, default or any, not "${text}"`,
  );
}

function countOf(flag: string, value: number | undefined): number | undefined {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
    failWith('usage', `${flag} must be a number from 0`);
  return value;
}
