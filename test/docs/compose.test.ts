import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';

type Service = Record<string, unknown> & { ports?: string[]; image?: string };

describe('docker-compose.yml', () => {
  let text = '';
  let services: [string, Service][] = [];
  before(async () => {
    text = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
    services = Object.entries((parse(text, { merge: true }) as { services: object }).services);
  });

  it('takes the capabilities and new privileges from every container, on a network of its own', () => {
    expect(services.length).to.be.greaterThan(8);
    for (const [name, service] of services) {
      expect(service['cap_drop'], name).to.deep.equal(['ALL']);
      expect(service['security_opt'], name).to.deep.equal(['no-new-privileges:true']);
      expect(service['networks'], name).to.deep.equal(['stores']);
    }
  });

  it('gives every container but two stores a root that cannot be written', () => {
    const writable = services.filter(([, service]) => service['read_only'] !== true).map(([name]) => name);
    expect(writable).to.deep.equal(['eventstore', 'mongo']);
  });

  it('publishes ports on this machine only', () => {
    for (const [name, { ports = [] }] of services)
      for (const port of ports) expect(port, name).to.match(/^127\.0\.0\.1:/);
  });

  it('has images that still get updates', () => {
    expect(text.match(/FROM \S+/g)).to.deep.equal(Array(2).fill('FROM node:24-bookworm-slim'));
    const images = services.map(([, { image = '' }]) => image);
    expect(images).to.include('mongo:8.0').and.include('docker.kurrent.io/kurrent-lts/kurrentdb:26.0');
  });
});
