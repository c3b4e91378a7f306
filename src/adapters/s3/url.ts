/**
 * The URL of a bucket: `s3://<bucket>[/<prefix>]?endpoint=…&public_endpoint=…&region=…&path_style=true`. Credentials
 * come from the AWS SDK's own variables.
 */
import { isIP } from 'node:net';
import { originOf } from '../shared/urls.js';

export type S3Url = {
  bucket: string;
  /** Comes before every key: empty, or ends in a slash. */
  prefix: string;
  region: string;
  /** The origin of a store that is not Amazon's. */
  endpoint: string | null;
  /**
   * Where clients reach the store, if not at `endpoint`. URLs lead there, since a signature is valid for one host only.
   */
  publicEndpoint: string | null;
  /** `<endpoint>/<bucket>/<key>` instead of `<bucket>.<endpoint>/<key>`. */
  pathStyle: boolean;
};

const PARAMETERS = new Set(['endpoint', 'public_endpoint', 'region', 'path_style']);

/** @throws Error that says what is wrong with the URL. */
export function parseS3Url(text: string): S3Url {
  if (!URL.canParse(text)) throw new Error('must be s3://<bucket>');
  const url = new URL(text);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw new Error(`has an unknown parameter ${unknown}`);
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(url.host)) throw new Error('must name a bucket: s3://<bucket>');
  if (url.username !== '') {
    throw new Error('must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  const endpoint = url.searchParams.get('endpoint');
  const publicEndpoint = url.searchParams.get('public_endpoint');
  for (const each of [endpoint, publicEndpoint]) if (each !== null) originOf(each);
  const pathStyle = url.searchParams.get('path_style') ?? 'false';
  if (pathStyle !== 'true' && pathStyle !== 'false')
    throw new Error('must have path_style=true or path_style=false');
  const folder = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.host,
    prefix: folder === '' ? '' : `${folder}/`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint,
    publicEndpoint,
    pathStyle: pathStyle === 'true',
  };
}

/** The origin of signed URLs, as the SDK makes them. Not every bucket can have a host of its own. */
export function originOfFiles({ bucket, region, endpoint, publicEndpoint, pathStyle }: S3Url): string {
  const amazon = `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const { protocol, host, hostname } = new URL(publicEndpoint ?? endpoint ?? amazon);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  const hasHost = !pathStyle && !isAddress && !(bucket.includes('.') && protocol === 'https:');
  return `${protocol}//${hasHost ? `${bucket}.` : ''}${host}`;
}
