/** What the pages about one run take: of a member, or of the reader of a link. */
import type { PageApi } from '../../page-api.js';
import type { PageRequest } from '../../page.js';
import type { Links } from './links.js';

export type RunRequest = Pick<PageRequest, 'params' | 'url'> & { api: Pick<PageApi, 'get'>; links: Links };
