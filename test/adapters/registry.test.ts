import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openForApi, busCrossesProcesses, describeStore } from '../../src/adapters/open.js';
import {
  blobsAdapters,
  busAdapters,
  locate,
  logAdapters,
  viewsAdapters,
} from '../../src/adapters/registry.js';
import { readConfig } from '../../src/config.js';

const SECRET_KEY = 'of this suite alone: 32 characters or more';

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
      [busAdapters, 'redis://host', 'must be local: or nats://<server>'],
      [busAdapters, 'local:folder', 'must be local:'],
      [busAdapters, 'nats://me:hush@nats?stream=a.b', 'must name a stream'],
    ] as const) {
      const parse = () => locate<unknown>(adapters, url);
      expect(parse, url).to.throw(Error, message).with.property('message').not.include('hush');
    }
  });

  it('loads no client of a server, nor SQLite, before a store is opened', async () => {
    const config = JSON.stringify(new URL('../../src/config.js', import.meta.url).href);
    const script = `
      import { createRequire } from 'node:module';
      const { readConfig } = await import(${config});
      readConfig({
        EVENTS_URL: 'esdb://host', VIEWS_URL: 'mongodb://host', BLOBS_URL: 's3://bucket', BUS_URL: 'nats://host',
        SECRET_KEY: '${SECRET_KEY}',
      });
      console.log(JSON.stringify(Object.keys(createRequire(import.meta.url)('node:module')._cache)));`;
    const args = ['--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const loaded = (JSON.parse(stdout) as string[]).join('\n');
    for (const client of ['libsql', '@eventstore', 'mongodb', '@aws-sdk', 'nats']) {
      expect(loaded).to.not.include(`node_modules/${client}`);
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
    expect(busCrossesProcesses(config)).to.equal(false);
    const second = await openForApi(config, (close) => void closing.unshift(close)).then(
      () => 'open',
      String,
    );
    expect(second).to.include('is in use by another testledger server');
    for (const close of closing) await close();
    await rm(folder, { recursive: true });
  });

  it('say that NATS carries messages to other processes', () => {
    expect(busCrossesProcesses(readConfig({ BUS_URL: 'nats://host' }))).to.equal(true);
  });
});
