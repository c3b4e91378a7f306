/** The table of pages. A new page is a file in `pages/` and a line here. */
import type { OpenPage, Page } from './page.js';
import { home } from './pages/home.js';
import { failureGroup } from './pages/project/failure-group.js';
import { failures } from './pages/project/failures.js';
import { runs } from './pages/project/runs.js';
import { settings } from './pages/project/settings.js';
import { tests } from './pages/project/tests.js';
import { projects } from './pages/projects/projects.js';
import { shortcuts } from './pages/shortcuts.js';
import { signIn } from './pages/sign-in.js';

/** Pages of a team. */
export const pages: readonly Page[] = [...projects, runs, tests, failures, failureGroup, ...settings];

/** Pages without a team. */
export const openPages: readonly OpenPage[] = [...home, ...signIn, ...shortcuts];
