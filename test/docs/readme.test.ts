import { pageAt } from './pages.js';
import { runCommandsOf } from './run-pages.js';

describe('Commands of the README', () => runCommandsOf([pageAt('README.md')]));
