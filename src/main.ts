/** The program: `node dist/src/main.js`. `ROLES` says what of it a process runs; every process answers health and metrics. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config, Role } from './config.js';
import { onThisMachine } from './http/origin.js';
import { plainHttpAdvice, plainHttpWarning } from './http/plain-http.js';
import { runProcess, type Running, type Show } from './process.js';
import { openApi } from './roles/api.js';
import { openCore } from './roles/core.js';
import { startHttp } from './roles/http.js';
import { openRoleThreads } from './roles/threads.js';
import { openStopList } from './stop-list.js';

/** `routes`: every route, as `METHOD /path`. */
export type Program = Running & { routes: readonly string[] };

/** Starts the configured roles. @throws Error that says why it cannot start. */
export async function startProgram(
  config: Config,
  logger: Logger,
  show: Show | null = null,
): Promise<Program> {
  const has = (role: Role) => config.roles.includes(role);
  const { onStop, stop } = openStopList();
  try {
    // The log, the read models, the state and the deliveries.
    const core = await openCore(config, logger, onStop);
    await core.recordFirstStart();

    const threads = openRoleThreads({ ...core, logger });
    onStop(threads.stop);

    // Answers HTTP, completes idle runs and deletes artifacts. A thread of its own reads large submissions.
    const api = has('api') ? await openApi(core) : null;
    const warning = api === null ? null : plainHttpWarning(config);
    if (warning !== null) logger.warn(`${warning} ${plainHttpAdvice}`);
    const http = await startHttp(core, api, logger);
    onStop(http.stop);

    // After HTTP: the threads would take the processor from it until it listens.
    // Folds the log into the read models.
    if (has('projector')) threads.start('projector');
    // Folds the log into the history, and delivers messages to webhooks.
    if (has('publisher') || has('dispatcher')) threads.start('webhooks');

    const firstStart = show === null ? null : ((await api?.newFirstStart()) ?? null);
    if (firstStart !== null)
      show?.firstStart(`${config.publicUrl ?? onThisMachine(http.url)}/first-start/${firstStart}`);
    return { url: http.url, routes: http.routes, stop };
  } catch (error) {
    await stop().catch((err: unknown) => logger.error({ err }, 'closing after a failed start failed'));
    throw error;
  }
}

// Tests and the command line import this module without starting it.
const entry = process.argv[1];
if (entry !== undefined && realpathSync(entry) === fileURLToPath(import.meta.url))
  await runProcess(startProgram);
