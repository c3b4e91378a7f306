/** What every server of the tests is started with. */

/** A set of environment variables. */
export type Env = Readonly<Record<string, string>>;

/** The owner's key of every server: on shared stores the first suite has created it. */
export const OWNER_KEY = 'tl_HttpSuiteBootstrapKey0000000000wNH7m';

/** For servers that share stores; a server on a folder of its own may make its own secret. */
export const SECRET_KEY = 'of the suites alone: 32 characters or more';

/** A free port and the owner's key, and nothing that slows a suite. */
export const serverEnv: Env = { PORT: '0', RATE_LIMIT: 'off', BOOTSTRAP_API_KEY: OWNER_KEY };

/** For the programs that tests start: on Node 24 they share the modules that `test/runner/node24.ts` keeps compiled. */
export function programEnv(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
