/**
 * The process: `node dist/src/main.js`. It reads its configuration from environment variables (docs/configuration.md),
 * starts the program (`program.ts` lists its roles and threads), and stops it on a signal.
 */
import { describeStore } from './adapters/open.js';
import { readConfig, type Config } from './config.js';
import { reasonOf } from './errors.js';
import { createLogger } from './logger.js';
import { startProgram } from './program.js';

const STOP_WITHIN_MS = 10_000;

const config = configured();
const { logger, flush } = createLogger(config.logLevel);

try {
  const { url, stop } = await startProgram(config, logger, showFirstKey);
  logger.info({ url, roles: config.roles, data: describeStore(config.events) }, 'testledger is up');
  flushSoon();

  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      logger.info({ signal }, 'stopping');
      const late = setTimeout(() => end(1, 'the stop took too long'), STOP_WITHIN_MS - 500);
      stop().then(
        () => {
          clearTimeout(late);
          end(0, 'stopped');
        },
        (err: unknown) => {
          logger.error({ err }, 'stopping failed');
          end(1, 'stopped');
        },
      );
    });
  }
} catch (error) {
  // As text on standard error: a person is looking, and nothing reads the log of a server that never started.
  console.error(`testledger cannot start: ${reasonOf(error)}`);
  logger.error({ err: error }, 'cannot start');
  flush();
  process.exit(1);
}

function configured(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    console.error(`testledger cannot start: ${(error as Error).message}`);
    process.exit(1);
  }
}

/** Prints the key on standard error. The log is stored and shipped, so no secret belongs there. */
function showFirstKey(key: string): void {
  console.error(`\nFirst start. This is the owner's API key; it is shown only this once:\n\n  ${key}\n`);
}

function flushSoon(): void {
  setImmediate(() => logger.flush());
}

function end(code: number, message: string): void {
  logger.info(message);
  flush();
  process.exit(code);
}
