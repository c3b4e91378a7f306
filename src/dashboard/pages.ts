/** The table of pages. A new page is a file in `pages/` and a line here. */
import type { OpenPage, Page } from './page.js';
import { resultHistory } from './pages/history/result-history.js';
import { runHistory } from './pages/history/run-history.js';
import { home } from './pages/home.js';
import { projects } from './pages/projects.js';
import { compare } from './pages/run/compare.js';
import { runFailures } from './pages/run/failures.js';
import { runResults } from './pages/run/results.js';
import { run } from './pages/run/run.js';
import { signIn } from './pages/sign-in.js';

/** Pages of a team. */
export const pages: readonly Page[] = [
  ...projects,
  ...run,
  ...runFailures,
  ...runResults,
  ...compare,
  ...runHistory,
  ...resultHistory,
];

/** Pages without a team. */
export const openPages: readonly OpenPage[] = [...home, ...signIn];
