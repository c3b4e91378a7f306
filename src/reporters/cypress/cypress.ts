/** `testledger/cypress`: a plugin of Cypress 13 and newer, for `setupNodeEvents`. */
import { relative } from 'node:path';
import { startLiveRun, type LiveRun } from '../../client/live/live-run.js';
import type { LiveRunOptions } from '../../client/live/settings.js';
import { specItems, type Told } from './spec-items.js';
import { TASK, type Config, type On, type Spec } from './types.js';

export type CypressReporterOptions = LiveRunOptions;

/** What may wait for the end of a spec file. Of more attempts, nothing is known but how they ended. */
const MOST_TOLD = 20_000;
const MOST_CHARACTERS = 8 * 1_024 * 1_024;

/**
 * Posts the results of each spec file when it has run; `cypress open` posts nothing.
 * @returns `config`, for `setupNodeEvents` to return
 */
export default function testledgerReporter<C extends Config>(
  on: On,
  config: C,
  options: CypressReporterOptions = {},
): C {
  let run: LiveRun | null = null;
  let browser: string | null = null;
  /** Of the spec file that runs. */
  let told: Told[] = [];
  /** Those that a test took by a name of its own: they belong to the attempt that ends next. */
  let pictures: string[] = [];
  let characters = 0;

  on('task', {
    [TASK](attempt) {
      characters += JSON.stringify(attempt).length;
      if (run !== null && told.length < MOST_TOLD && characters < MOST_CHARACTERS)
        told.push({ ...attempt, pictures });
      pictures = [];
      return null;
    },
  });
  on('before:run', (details) => {
    // `cypress open` knows none, where it tells of a run at all.
    if (details.specs === undefined) return;
    browser = details.browser?.name ?? null;
    const specs = details.specs.map((spec) => spec.relative);
    run = startLiveRun({ ...options, tool: 'cypress', argv: [browser ?? '', ...specs] });
  });
  on('after:screenshot', ({ path, name }) => {
    if (name !== undefined && pictures.length < MOST_TOLD) pictures.push(path);
  });
  on('after:spec', (spec, results) => {
    for (const attempts of specItems({ file: shown(spec), browser, results, told })) run?.add(...attempts);
    told = [];
    pictures = [];
    characters = 0;
  });
  on('after:run', async () => {
    await run?.finish();
  });
  config.env[TASK] = true;
  return config;
}

function shown({ absolute }: Spec): string {
  return relative(process.cwd(), absolute).replaceAll('\\', '/');
}

// A configuration may be CommonJS: `require` returns what has this name in a module like this one.
export { testledgerReporter as 'module.exports' };
