/**
 * The read models, the state and the deliveries on a MongoDB replica set: `mongodb://<server>`, as its driver writes
 * it.
 */
import type { Adapter, ViewsLocation } from '../adapter.js';
import { withoutPassword } from '../shared/urls.js';

export const mongoDbViews: Adapter<ViewsLocation> = {
  schemes: ['mongodb', 'mongodb+srv'],
  form: 'mongodb://<server>',
  parse(url) {
    // The driver checks the rest of the URL: only the driver knows its options.
    if (!/^[^:]+:\/\/[^/]/.test(url)) throw new Error('must be mongodb://<server>');
    return {
      shown: withoutPassword(url),
      folder: null,
      sharesReader: true,
      copyStateTo: null,
      refuseNewer: async () => (await import('./refuse-newer.js')).refuseNewerDatabases(url),
      openReader: async () => (await import('./views/reader.js')).openMongoViewReader({ url }),
      openWriter: async () => (await import('./views/writer.js')).openMongoViewWriter({ url }),
      openState: async () => (await import('./state.js')).openMongoState({ url }),
      openContents: async () => (await import('./contents.js')).openMongoContents({ url }),
      openDeliveries: async () => (await import('./deliveries/deliveries.js')).openMongoDeliveries({ url }),
      hasState: () => true,
    };
  },
};
