/** The bus on NATS JetStream: `nats://<server>`, or `tls://<server>`. */
import type { Adapter, BusLocation } from '../adapter.js';
import { parseNatsUrl } from './url.js';

export const natsBus: Adapter<BusLocation> = {
  schemes: ['nats', 'tls'],
  form: 'nats://<server>',
  parse(url) {
    parseNatsUrl(url);
    return {
      check: async () => (await import('./relay.js')).checkNats(url),
      openRelay: async (options) => (await import('./relay.js')).openNatsRelay(url, options),
      openBroadcast: async (options) => (await import('./broadcast.js')).openNatsBroadcast(url, options),
    };
  },
};
