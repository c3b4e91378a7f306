/** Of a log whose events have their contents in them. */
import type { Titles } from '../src/domain/contents.js';
import type { RenderedContents } from '../src/webhooks/outbox/payload.js';

/** As they are. */
export const plainTitles: Titles = async (titles) => new Map(titles.map((title) => [title, title]));

export const plainContents: RenderedContents = { titles: plainTitles, marked: async () => new Map() };
