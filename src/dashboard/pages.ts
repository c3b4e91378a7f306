/** The table of pages. A new page is a file in `pages/` and a line here. */
import type { OpenPage, Page } from './page.js';
import { home } from './pages/home.js';
import { operations } from './pages/operations.js';
import { firstStart } from './pages/people/first-start.js';
import { invitation } from './pages/people/invitation.js';
import { reset } from './pages/people/reset.js';
import { signIn } from './pages/people/sign-in.js';
import { projects } from './pages/projects.js';
import { keys } from './pages/team/keys.js';
import { members } from './pages/team/members.js';
import { uploads } from './pages/team/uploads.js';
import { webhook } from './pages/team/webhook.js';
import { webhooks } from './pages/team/webhooks.js';

/** Pages of a team. */
export const pages: readonly Page[] = [
  ...projects,
  ...members,
  ...keys,
  ...webhooks,
  ...webhook,
  ...uploads,
  ...operations,
];

/** Pages without a team. */
export const openPages: readonly OpenPage[] = [...home, ...signIn, ...firstStart, ...invitation, ...reset];
