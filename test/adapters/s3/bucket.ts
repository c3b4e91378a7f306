/** How the tests open the S3 adapter on a server of theirs. */
import type { S3Url } from '../../../src/adapters/s3/url.js';
import type { S3Server } from '../../stack/versitygw.js';

export function storeOf({ bucket, url }: Pick<S3Server, 'bucket' | 'url'>): S3Url {
  return {
    bucket,
    prefix: 'of/the/suites/',
    region: 'us-east-1',
    endpoint: url,
    publicEndpoint: null,
    pathStyle: true,
  };
}

/** Puts the credentials where the SDK looks for them; answers how to take them away again. */
export function withCredentials({ env }: Pick<S3Server, 'env'>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
