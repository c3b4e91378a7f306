/** What every request of the API needs to know. */
import { TestledgerError } from './errors.js';

export type CallerSettings = {
  url: string;
  apiKey: string;
  project: string | undefined;
  timeoutMs: number;
  userAgent: string;
};

/** @throws TestledgerError `invalid_call` for a value that no request can carry. It shows no key. */
export function checkCallerSettings({ url, apiKey }: Pick<CallerSettings, 'url' | 'apiKey'>): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TestledgerError('invalid_call', 'The URL of the server must begin with http:// or https://.');
  const { username, password, search, hash } = new URL(url);
  // `fetch` refuses the first two with an error that shows them; paths would become a part of the others.
  if (`${username}${password}${search}${hash}` !== '')
    throw new TestledgerError(
      'invalid_call',
      'The URL of the server must not have a user, a password, a query or a fragment.',
    );
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TestledgerError('invalid_call', 'The API key must be visible ASCII characters without blanks.');
}
