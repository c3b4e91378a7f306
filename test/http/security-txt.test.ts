import { expect } from 'chai';
import { ownServer } from '../kit/server.js';

describe('/.well-known/security.txt', () => {
  describe('with SECURITY_CONTACT', () => {
    const server = ownServer({
      SECURITY_CONTACT: 'mailto:security@example.org',
      PUBLIC_URL: 'https://reports.example',
    });

    it('names the contact, the place and a day in less than a year, without a key', async () => {
      const { status, headers, text } = await shown(server.url);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      const [contact, expires = '', ...rest] = text.split('\n');
      expect(contact).to.equal('Contact: mailto:security@example.org');
      expect(rest).to.deep.equal(['Canonical: https://reports.example/.well-known/security.txt', '']);
      const days = (Date.parse(expires.replace('Expires: ', '')) - Date.now()) / 86_400_000;
      expect(days).to.be.within(30, 364);
    });
  });

  describe('without one', () => {
    const server = ownServer({});

    it('is not there, because the standard knows none without a contact', async () => {
      expect((await shown(server.url)).status).to.equal(404);
    });
  });
});

async function shown(url: string) {
  const response = await fetch(new URL('/.well-known/security.txt', url));
  return { status: response.status, headers: response.headers, text: await response.text() };
}
