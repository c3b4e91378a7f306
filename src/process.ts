/** The process around the program: its configuration, its signals and its exit code. */
import { describeStore } from './adapters/open.js';
import { readConfig, type Config } from './config.js';
import { reasonOf } from './errors.js';
import { createLogger, FLUSH_WITHIN_MS } from './logger.js';
import { collectWhenIdle } from './memory/collect-when-idle.js';
import { limitHeapGrowth } from './memory/limit-heap-growth.js';
import type { Logger } from 'pino';

const STOP_WITHIN_MS = 10_000;

export type Running = {
  url: string;
  /** Stops everything within 10 s. @throws AggregateError the faults, after everything else is closed. */
  stop(): Promise<void>;
};

/** Shows secrets to the operator. They are shown once, and never logged. */
export type Show = {
  /** Called while the operator's team has no owner: the page at this URL makes its first owner. */
  firstStart(url: string): void;
};

type Start = (config: Config, logger: Logger, show: Show) => Promise<Running>;

/** Starts the program by the environment, and stops it on SIGTERM or SIGINT. Ends the process with 1 if either fails. */
export async function runProcess(start: Start): Promise<void> {
  limitHeapGrowth();
  collectWhenIdle();
  const config = configured();
  const { logger, flush } = createLogger(config.logLevel);
  const end = async (code: number, message: string): Promise<never> => {
    logger.info(message);
    await flush();
    process.exit(code);
  };
  try {
    const { url, stop } = await start(config, logger, show);
    logger.info({ url, roles: config.roles, data: describeStore(config.events) }, 'testledger is up');
    setImmediate(() => logger.flush());

    let stopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (stopping) return;
        stopping = true;
        logger.info({ signal }, 'stopping');
        const late = setTimeout(
          () => void end(1, 'the stop took too long'),
          STOP_WITHIN_MS - FLUSH_WITHIN_MS - 500,
        );
        stop().then(
          () => {
            clearTimeout(late);
            return end(0, 'stopped');
          },
          (err: unknown) => {
            logger.error({ err }, 'stopping failed');
            return end(1, 'stopped');
          },
        );
      });
    }
  } catch (error) {
    // As text on standard error: a person is looking, and nothing reads the log of a server that never started.
    console.error(`testledger cannot start: ${reasonOf(error)}${adviceOn(error, config)}`);
    logger.error({ err: error }, 'cannot start');
    await flush();
    process.exit(1);
  }
}

/** What to do where the operating system has refused: its own words name no variable. Empty for every other error. */
function adviceOn(error: unknown, { host }: Config): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasonOf(error);
  if (code === 'EADDRINUSE') return '. Another program listens there: stop it, or set another PORT.';
  if (reason.startsWith('listen E') || reason === `getaddrinfo ENOTFOUND ${host}`)
    return '. Set HOST and PORT to an address on which this user may listen.';
  if (['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS'].includes(code))
    return '. Set DATA_DIR, or the URL of the store, to a folder that this user may write.';
  return '';
}

function configured(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    console.error(`testledger cannot start: ${(error as Error).message}`);
    process.exit(1);
  }
}

/** Prints on standard error. The log is stored and shipped, so no secret belongs there. */
const show: Show = {
  firstStart: (url) =>
    console.error(
      `\nNobody can sign in yet. Open this link within an hour to become the first owner; it works once:\n\n  ${url}\n`,
    ),
};
