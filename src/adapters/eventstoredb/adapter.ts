/** The event log on EventStoreDB or KurrentDB: `esdb://<server>`, as their clients write it. */
import type { Adapter, LogLocation } from '../adapter.js';
import { withoutPassword } from '../shared/urls.js';
import { parseEsdbUrl } from './url.js';

export const eventStoreDbLog: Adapter<LogLocation> = {
  schemes: ['esdb', 'esdb+discover'],
  form: 'esdb://<server>',
  parse(url) {
    parseEsdbUrl(url);
    return {
      shown: withoutPassword(url),
      folder: null,
      copyTo: null,
      open: async ({ report }) => (await import('./log.js')).openEsdbLog({ url, ...(report && { report }) }),
      openContents: null,
      exists: () => true,
      openTarget: async () => {
        const { esdbLogTarget } = await import('./target.js');
        return esdbLogTarget(await (await import('./log.js')).openEsdbLog({ url }));
      },
    };
  },
};
