/** The bus on NATS JetStream: `nats://<server>`, or `tls://<server>`. */
import type { Adapter, BusLocation } from '../adapter.js';
import { parseNatsUrl } from './url.js';

export const natsBus: Adapter<BusLocation> = {
  schemes: ['nats', 'tls'],
  form: 'nats://<server>',
  parse(url) {
    parseNatsUrl(url);
    return {
      crossesProcesses: true,
      usesDataDir: false,
      open: async ({ report }) => (await import('./bus.js')).openNatsBus({ url, report }),
      openBroadcast: async (options) => (await import('./broadcast.js')).openNatsBroadcast(url, options),
    };
  },
};
