/** The promises of every store of read models: one suite for all adapters. */
import type { ViewReader, ViewWriter } from '../../../src/ports/views.js';
import { buildsContract } from './builds.js';
import { commitsContract } from './commits.js';
import { findContract } from './find.js';
import { modelContract } from './model.js';
import type { ViewsUnderTest } from './subject.js';
import { partitionsContract } from './partitions.js';
import { waitingContract } from './waiting.js';

/** An empty store. The suite closes what it opens. */
export type ViewStore = {
  reader(): ViewReader | Promise<ViewReader>;
  writer(): ViewWriter | Promise<ViewWriter>;
  /** Removes everything, after all openings are closed. */
  remove(): Promise<void>;
};

/** Declares the suite. `emptyStore` is called before each test. */
export function viewsContract(name: string, emptyStore: () => Promise<ViewStore>): void {
  describe(`the views: ${name}`, function () {
    let store: ViewStore;
    let reader: ViewReader;
    let writer: ViewWriter;
    beforeEach(async () => {
      store = await emptyStore();
      reader = await store.reader();
      writer = await store.writer();
    });
    afterEach(async () => {
      await reader.close();
      await writer.close();
      await store.remove();
    });

    const views: ViewsUnderTest = {
      get reader() {
        return reader;
      },
      get writer() {
        return writer;
      },
      reopen: async () => {
        await reader.close();
        await writer.close();
        reader = await store.reader();
        writer = await store.writer();
      },
    };
    commitsContract(views);
    buildsContract(views);
    findContract(views);
    waitingContract(views);
    partitionsContract(views);
    modelContract(views);
  });
}
