/** Everything that is alive in the browser. A page works without it, but for live updates and charts. */
import './copy-button.js';
import './duration-chart.js';
import './first-results.js';
import './image-diff.js';
import './log-view.js';
import './fresh-failures.js';
import './time-ago.js';
import { confirmForms } from './confirm-forms.js';
import { startKeys } from './keys.js';
import { startLive } from './live.js';
import { requireFields } from './required-fields.js';

startLive();
startKeys();
confirmForms();
requireFields();
