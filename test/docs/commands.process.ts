import { runnableOf } from './blocks.js';
import { pages } from './pages.js';
import { runCommandsOf } from './run-pages.js';

describe('Commands of the other documents', () =>
  runCommandsOf(pages.filter((page) => page.path !== 'README.md' && runnableOf(page).length > 0)));
