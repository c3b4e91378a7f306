/** How the tests open the S3 adapter on their server. */
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

/** Sets the variables that the SDK reads the credentials from. Answers the function that unsets them. */
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
