import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const SECRET_KEY = 'of this suite alone: 32 characters or more';

describe('the registry of adapters', () => {
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
