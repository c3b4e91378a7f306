import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const program = `
  const { openS3Blobs } = await import(process.argv[1]);
  const store = { bucket: 'some', prefix: '', region: 'us-east-1', endpoint: null, publicEndpoint: null, pathStyle: false };
  await openS3Blobs(store, () => new Date()).close();
`;

describe('the blobs in S3', () => {
  it('are opened without output on standard error', async () => {
    const module = new URL('../../../src/adapters/s3/blobs.js', import.meta.url).href;
    // In a process of its own, because the library warns only once per process.
    const said = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, module]);
    expect(said).to.deep.equal({ stdout: '', stderr: '' });
  });
});
