import { expect } from 'chai';
import { liveSettings } from '../../../src/client/live/settings.js';

describe('the settings of a live run', () => {
  it('leave out the line feed behind a secret from a file', () => {
    const env = {
      TESTLEDGER_URL: 'http://127.0.0.1:8080\n',
      TESTLEDGER_API_KEY: 'tl_key\n',
      TESTLEDGER_PROJECT: 'shop\n',
    };
    const result = liveSettings({}, { tool: 'mocha', env });
    if (result.kind !== 'settings') throw new Error(result.notice);
    const { url, apiKey, project } = result.settings;
    expect([url, apiKey, project]).to.deep.equal(['http://127.0.0.1:8080', 'tl_key', 'shop']);
  });
});
