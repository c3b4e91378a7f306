/** The table of pages. A new page is a file in `pages/` and a line here. */
import type { OpenPage, Page } from './page.js';
import { home } from './pages/home.js';
import { projects } from './pages/projects.js';
import { result } from './pages/result/result.js';
import { signIn } from './pages/sign-in.js';
import { test } from './pages/test/test.js';

/** Pages of a team. */
export const pages: readonly Page[] = [...projects, ...result, ...test];

/** Pages without a team. */
export const openPages: readonly OpenPage[] = [...home, ...signIn];
