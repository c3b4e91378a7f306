/** Commands that work on the stores of this machine. */
import { readConfig, type Config } from '../config.js';
import { reasonOf } from '../errors.js';
import { CliError, failWith } from './errors.js';

/**
 * Runs a command on the stores of the configuration. Their errors end it with 1, as text: the stack trace of a library does
 * not help a person who mistyped a URL. @throws CliError
 */
export async function onStores<T>(work: (config: Config) => Promise<T>): Promise<T> {
  const config = configured();
  try {
    return await work(config);
  } catch (error) {
    if (error instanceof CliError) throw error;
    failWith('command_failed', reasonOf(error), { cause: error });
  }
}

function configured(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    failWith('configuration_invalid', reasonOf(error));
  }
}
