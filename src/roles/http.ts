/** The HTTP server of the process: the routes of the role `api`, if the process has it, beside health and metrics. */
import type { Logger } from 'pino';
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { systemClock } from '../clock.js';
import { createApp } from '../http/app.js';
import { clientRoutes } from '../http/clients/routes.js';
import { healthRoutes } from '../http/health.js';
import type { Mounted } from '../http/openapi/document.js';
import { documentRoutes } from '../http/openapi/routes.js';
import { problemRoutes } from '../http/problems/pages.js';
import { reportRefusals } from '../http/middleware.js';
import { llmsTxt } from '../http/llms-txt.js';
import { securityTxt } from '../http/security-txt.js';
import { listen, type Listening } from '../http/server.js';
import { readStuck } from '../projecting/stuck.js';
import { version } from '../version.js';
import type { Api } from './api.js';
import type { Core } from './core.js';

/** Requests in flight get this long to end. */
const DRAIN_MS = 5_000;

/** Listens. @throws Error when the port is taken. */
export async function startHttp(
  { config, log, views, state, metrics }: Core,
  api: Api | null,
  logger: Logger,
): Promise<Pick<Listening, 'url'> & { routes: readonly string[]; stop: () => Promise<void> }> {
  let stopping = false;
  const health = healthRoutes({
    log,
    views,
    projection: records.name,
    version,
    metrics,
    stuck: async () => {
      const stuck = await Promise.all([records, history].map(({ name }) => readStuck(state, name)));
      return stuck.flat().reduce((count, { partitions }) => count + partitions.length, 0);
    },
    stopping: () => stopping,
  });
  const documents = documentRoutes(() => mounted, version);
  const mounted: Mounted = {
    surfaces: api?.surfaces ?? [],
    open: [...health, ...documents, ...problemRoutes(), ...clientRoutes(version), ...(api?.open ?? [])],
  };
  const { koa, routes } = createApp({
    ...mounted,
    pages: [...securityTxt(config, systemClock), llmsTxt(config.publicUrl), ...(api?.pages ?? [])],
    ...(api?.missingPage && { missingPage: api.missingPage }),
    metrics,
    logger,
    corsOrigins: config.corsOrigins,
    https: config.publicUrl?.startsWith('https:') ?? false,
    trustedProxies: config.trustedProxies,
  });
  const { url, stop } = await listen(koa, {
    ...config,
    refused: reportRefusals(logger, metrics),
  });
  return {
    url,
    routes,
    async stop() {
      stopping = true;
      // Clients of streams and waiting submissions get an answer now. Otherwise the end of the drain would cut them off.
      api?.drain();
      await stop(DRAIN_MS);
    },
  };
}
