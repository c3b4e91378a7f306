import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForApi, describeStore } from '../../src/adapters/open.js';
import {
  blobsAdapters,
  busAdapters,
  locate,
  logAdapters,
  viewsAdapters,
} from '../../src/adapters/registry.js';
import { readConfig } from '../../src/config.js';

describe('the registry of adapters', () => {
  it('finds the adapter of a URL by its scheme, and says where the store is without a password', () => {
    for (const [adapters, url, shown] of [
      [logAdapters, 'file:/data', '/data'],
      [logAdapters, 'file:///data/', '/data'],
      [logAdapters, 'esdb://me:hush@host?tls=false', 'esdb://***@host?tls=false'],
      [logAdapters, 'esdb+discover://me:hush@host', 'esdb+discover://***@host'],
      [viewsAdapters, 'file:/data', '/data'],
      [viewsAdapters, 'mongodb://me:hush@host/x', 'mongodb://***@host/x'],
      [viewsAdapters, 'mongodb+srv://me:hush@host/x', 'mongodb+srv://***@host/x'],
      [blobsAdapters, 'file:/data', '/data'],
      [blobsAdapters, 's3://bucket/prefix', 's3://bucket/prefix'],
    ] as const) {
      expect(locate<{ shown: string }>(adapters, url).shown, url).to.equal(shown);
    }
    expect(describeStore('mongodb://me:hush@host/x')).to.equal('mongodb://***@host/x');
  });

  it('knows which stores are in a local folder', () => {
    const folderIn = (url: string) =>
      [logAdapters, viewsAdapters, blobsAdapters].map(
        (all) => locate<{ folder: string | null }>(all, url).folder,
      );
    expect(folderIn('file:/data')).to.deep.equal(['/data', '/data', '/data']);
    expect(locate(logAdapters, 'esdb://host').folder).to.equal(null);
    expect(locate(viewsAdapters, 'mongodb://host').folder).to.equal(null);
    expect(locate(blobsAdapters, 's3://bucket').folder).to.equal(null);
  });

  it('refuses a URL that no adapter of the port takes, and names the forms that one does', () => {
    for (const [adapters, url, message] of [
      [logAdapters, 'mongodb://host', 'must be file:<folder> or esdb://<server>'],
      [logAdapters, 'data', 'must be file:<folder> or esdb://<server>'],
      [logAdapters, 'esdb:host', 'esdb://'],
      [logAdapters, 'esdb://', 'esdb://'],
      [viewsAdapters, 'esdb://host', 'must be file:<folder> or mongodb://<server>'],
      [viewsAdapters, 'mongodb:host', 'must be mongodb://<server>'],
      [blobsAdapters, 'gs://bucket', 'must be file:<folder> or s3://<bucket>'],
      [blobsAdapters, 's3://', 's3://<bucket>'],
      [blobsAdapters, 's3://b?strange=1', 'unknown parameter strange'],
      [blobsAdapters, 's3://a-bucket?path_style=maybe', 'path_style'],
      [blobsAdapters, 's3://me:hush@a-bucket', 'must not contain credentials'],
      [busAdapters, 'redis://host', 'must be nats://<server>'],
      [busAdapters, 'nats://me:hush@nats?stream=a.b', 'must name a stream'],
    ] as const) {
      const parse = () => locate<unknown>(adapters, url);
      expect(parse, url).to.throw(Error, message).with.property('message').not.include('hush');
    }
  });
});

describe('the traits of stores', () => {
  it('are those of one server process, where everything is in a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testledger-traits-'));
    const config = readConfig({ DATA_DIR: folder });
    const closing: (() => Promise<void> | void)[] = [];
    const { log, state } = await openForApi(config, (close) => void closing.unshift(close));
    expect(log.singleWriter).to.equal(true);
    expect(state.singleServer).to.equal(true);
    const second = await openForApi(config, (close) => void closing.unshift(close)).then(
      () => 'open',
      String,
    );
    expect(second).to.include('is in use by another testledger server');
    for (const close of closing) await close();
    await rm(folder, { recursive: true });
  });
});
