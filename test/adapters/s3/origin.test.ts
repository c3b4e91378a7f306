import { expect } from 'chai';
import { openS3Blobs } from '../../../src/adapters/s3/blobs.js';
import { originOfFiles, parseS3Url } from '../../../src/adapters/s3/url.js';
import { inSeconds, newPlace } from '../../contract/blobs/subject.js';

const variables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

describe('the origin of files in a bucket', () => {
  const before_ = variables.map((name) => process.env[name]);
  before(() => {
    for (const name of variables) process.env[name] ??= 'a-key';
  });
  after(() => {
    for (const [n, name] of variables.entries()) {
      if (before_[n] === undefined) delete process.env[name];
    }
  });

  for (const text of [
    's3://reports',
    's3://reports?region=eu-central-1',
    's3://reports.example?region=eu-central-1',
    's3://reports?region=cn-north-1',
    's3://reports/below?endpoint=http://127.0.0.1:9000',
    's3://reports?endpoint=http://127.0.0.1:9000&path_style=true',
    's3://reports?endpoint=http://minio:9000&public_endpoint=https://files.example&path_style=true',
    's3://reports?endpoint=http://minio:9000&public_endpoint=https://files.example',
  ]) {
    it(`is that of a signed URL for ${text}`, async () => {
      const url = parseS3Url(text);
      const blobs = openS3Blobs(url, () => new Date());
      const download = {
        contentType: 'image/png',
        disposition: 'inline',
        expiresAt: inSeconds(60),
        origin: '',
      };
      const signed = await blobs.downloadUrl(newPlace(), 'version', download);
      await blobs.close();
      expect(originOfFiles(url)).to.equal(new URL(signed).origin);
    });
  }
});
