/** The URLs that name stores: how they are taken apart, and how they may be shown. */
import { resolve } from 'node:path';

/** A connection string without its credentials, also where the string is not well formed. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z\d+.-]*:)?(\/*).*@/is, '$1$2***@');
}

/** The absolute path of `file:<folder>`, relative to the working directory. `file:///folder` means the same folder. */
export function folderOf(url: string): string {
  return resolve(url.slice('file:'.length).replace(/^\/\/(?=\/)/, ''));
}

/** The scheme, host and port of a URL that has nothing else. @throws Error for any other text. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && url.pathname === '/' && url.search === '' && url.username === '';
  if (url === null || !plain || !/^https?:$/.test(url.protocol))
    throw new Error('must be http(s)://<host>[:<port>]');
  return url.origin;
}
