/** Everything that is alive in the browser. A page works without it, but for live updates and charts. */
import './copy-button.js';
import './editor-link.js';
import './first-results.js';
import './image-diff.js';
import './later-part.js';
import './log-view.js';
import './fresh-failures.js';
import './time-ago.js';
import { markBrokenPictures } from './broken-pictures.js';
import { confirmForms } from './confirm-forms.js';
import { completeFilters } from './filter-bar.js';
import { startKeys } from './keys.js';
import { followLive } from './live.js';
import { closeMenus } from './menus.js';
import { startPalette } from './palette.js';
import { requireFields } from './required-fields.js';
import { showTabs } from './show-tabs.js';
import { startTriage } from './triage.js';

// Most pages have no chart, and its library is larger than everything else.
if (document.querySelector('duration-chart') !== null) void import('./duration-chart.js');

followLive();
startKeys();
completeFilters();
closeMenus();
startPalette();
confirmForms();
requireFields();
startTriage();
markBrokenPictures();
showTabs();
