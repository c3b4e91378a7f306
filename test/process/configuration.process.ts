import { expect } from 'chai';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretVariables } from '../../src/config-secrets.js';
import { readConfig } from '../../src/config.js';
import { newApiKey } from '../../src/domain/teams/api-key.js';
import { withoutLink } from './printed.js';
import { OWNER_KEY, SECRET_KEY } from '../kit/environment.js';
import { servers, until, type Program } from '../kit/process.js';

const PASSWORD = 'a-password-in-a-url';
const EVENTS = { EVENTS_URL: 'esdb://127.0.0.1:9' };
const VIEWS = { VIEWS_URL: 'mongodb://127.0.0.1:9' };

describe('the process: configuration', () => {
  const given = servers();

  it('names all wrong values at once on standard error, ends with 1, and leaves the folder untouched', async () => {
    const wrong = {
      PORT: '65536',
      EVENTS_URL: 'mongodb://localhost',
      VIEWS_URL: 'esdb://localhost',
      ROLES: 'api,janitor',
      BLOBS_URL: 's3://a-bucket?path_style=maybe&public_endpoint=nowhere',
      BUS_URL: 'redis://localhost',
      WEBHOOK_ALLOW: '10.0.0.0/8,10.0.0.1',
      WEBHOOK_HISTORY: '30 days',
      SECRET_KEY: 'too-short',
      SECURITY_CONTACT: 'http://example.org/security',
      PUBLIC_URL: 'https://reports.example/below',
      ARTIFACTS_ORIGIN: 'files.example',
      CORS_ORIGINS: 'https://app.example,*',
      TRUSTED_PROXIES: '10.0.0.0/8,proxy.example',
      OIDC_ISSUER: 'http://login.example',
      OIDC_SCOPE: 'email',
      OIDC_ROLES: 'admins=king',
      OIDC_TRUST_EMAIL: 'yes',
      UPLOAD_TTL: '-PT1H',
      ARTIFACT_TTL: 'P9000Y',
      ARTIFACT_MAX_RESULT_AGE: 'P0D',
      BOOTSTRAP_API_KEY: 'tl_not-a-key',
      RATE_LIMIT: '0',
      RUN_IDLE: '24 hours',
      VALIDATE_EVENTS: 'yes',
      LOG_LEVEL: 'loud',
    };
    const program = given.launch({ env: wrong });
    expect((await program.ended).code).to.equal(1);
    const lines = program.stderr().split('\n');
    for (const [name, value] of Object.entries(wrong)) {
      const shown = name.endsWith('_KEY') ? '(not shown)' : `"${value}"`;
      const naming = lines.filter((line) => line.includes(`${name}=${shown}: `));
      expect(naming, `${name} in ${program.stderr()}`).to.have.length(1);
    }
    expect(program.stdout()).to.equal('');
    expect(await readdir(given.folder)).to.deep.equal([]);
  });

  it('takes no form of a CIDR that is another network than the one that it looks like', () => {
    for (const cidr of ['10/8', '10.1/16', '010.0.0.0/8', '0x0a.0.0.0/8', '::ffff:10.0.0.0/104'])
      expect(() => readConfig({ TRUSTED_PROXIES: cidr }), cidr).to.throw(`${cidr} is not a CIDR`);
    const cidrs = '10.0.0.0/8,192.168.1.7/32,fd00::/8,::1/128';
    expect(readConfig({ TRUSTED_PROXIES: cidrs }).trustedProxies).to.deep.equal(cidrs.split(','));
  });

  it('refuses a part of the roles with the log in files, because no second process could have the others', () => {
    expect(() => readConfig({ ROLES: 'api' })).to.throw('ROLES: must be all when the log is in files');
  });

  it('reads each secret from the file that `<variable>_FILE` names, without the line feed at its end', async () => {
    const values: Record<string, string> = {
      SECRET_KEY,
      SECRET_KEY_PREVIOUS: `${SECRET_KEY} before`,
      OIDC_CLIENT_SECRET: 'of the client',
      BOOTSTRAP_API_KEY: OWNER_KEY,
      EVENTS_URL: `esdb://ada:${PASSWORD}@127.0.0.1:9`,
      VIEWS_URL: `mongodb://ada:${PASSWORD}@127.0.0.1:9`,
      BLOBS_URL: 's3://a-bucket',
      BUS_URL: `nats://ada:${PASSWORD}@127.0.0.1:9`,
    };
    expect(Object.keys(values).sort(), 'every one').to.deep.equal([...secretVariables].sort());
    const files: Record<string, string> = {};
    for (const [name, value] of Object.entries(values)) {
      files[`${name}_FILE`] = join(given.folder, name);
      await writeFile(join(given.folder, name), `${value}\n`);
    }
    const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'ledger' };
    expect(readConfig({ ...files, ...oidc })).to.deep.equal(readConfig({ ...values, ...oidc }));
  });

  it('refuses a secret that is given twice, and a file that is missing or empty, and shows no secret', async () => {
    const file = join(given.folder, 'a-secret');
    await writeFile(file, '\n');
    for (const name of secretVariables) {
      const wrongOf = (env: Record<string, string>) => {
        try {
          readConfig(env);
        } catch (error) {
          return (error as Error).message;
        }
        return 'nothing wrong';
      };
      const twice = wrongOf({ [name]: `s3://${PASSWORD}`, [`${name}_FILE`]: file });
      expect(twice).to.include(`${name}_FILE is set too: set one of them`).and.not.include(PASSWORD);
      expect(wrongOf({ [`${name}_FILE`]: file })).to.include(`${name}_FILE: ${file} is empty`);
      expect(wrongOf({ [`${name}_FILE`]: `${file}-of-nobody` })).to.include('ENOENT');
      await writeFile(`${file}-wrong`, PASSWORD);
      if (!['OIDC_CLIENT_SECRET'].includes(name)) {
        const wrong = wrongOf({ [`${name}_FILE`]: `${file}-wrong` });
        expect(wrong).to.include(name);
        if (!name.endsWith('_URL')) expect(wrong).to.not.include(PASSWORD);
      }
    }
  });

  it('requires a SECRET_KEY with a shared store', () => {
    for (const shared of [EVENTS, VIEWS, { BLOBS_URL: 's3://a-bucket' }])
      expect(() => readConfig(shared)).to.throw('SECRET_KEY: must be set');
  });

  it('requires a BLOBS_URL with a shared log or views, so that no process keeps uploads for itself', () => {
    for (const shared of [EVENTS, VIEWS]) {
      const missing = /BLOBS_URL: must be set.*file:<folder>/s;
      expect(() => readConfig({ ...shared, SECRET_KEY })).to.throw(missing);
      const named = { ...shared, SECRET_KEY, BLOBS_URL: 'file:/srv/artifacts' };
      expect(() => readConfig(named), 'a folder that is named').to.not.throw();
    }
  });

  it('names VIEWS_URL where MongoDB cannot read it, and shows no password', async () => {
    const shared = { SECRET_KEY, BLOBS_URL: `file:${given.folder}` };
    for (const url of ['mongodb://ada:hush@hush@127.0.0.1:9/x', 'mongodb://ada:hush#hush@127.0.0.1:9']) {
      const program = given.launch({ env: { ...shared, VIEWS_URL: url } });
      expect((await program.ended).code).to.equal(1);
      expect(program.stderr()).to.match(
        /^testledger cannot start: VIEWS_URL is not valid: .*percent-encoded$/m,
      );
      expect(program.stderr() + program.stdout()).to.not.include('hush');
    }
  });

  it('keeps its own secret across restarts, in a file that other users cannot read', async () => {
    const first = await given.start();
    const file = join(given.folder, 'secret.key');
    const made = await readFile(file, 'utf8');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    await first.kill();
    const second = await given.start();
    await second.stop();
    expect(await readFile(file, 'utf8')).to.equal(made);
    expect(first.stdout() + second.stdout() + second.stderr()).to.not.include(made.trim());
  });

  for (const [what, wrong] of Object.entries({
    'an invalid URL': { VIEWS_URL: `mongodb:user:${PASSWORD}@host/x` },
    'a URL that the client of EventStoreDB refuses': {
      EVENTS_URL: `esdb://user:${PASSWORD}@host?tls=maybe`,
      VIEWS_URL: 'mongodb://127.0.0.1:9',
    },
    'a URL that the client of MongoDB refuses': { VIEWS_URL: `mongodb://user:${PASSWORD}@host/?foo=bar` },
  })) {
    it(`shows no password of ${what}`, async () => {
      const program = given.launch({ env: { SECRET_KEY, BLOBS_URL: `file:${given.folder}`, ...wrong } });
      expect((await program.ended).code).to.equal(1);
      expect(program.stderr()).to.match(/^testledger cannot start: /);
      expect(program.stderr() + program.stdout()).to.not.include(PASSWORD);
    });
  }

  it('says why it cannot reach the event log', async () => {
    const env = {
      EVENTS_URL: 'esdb://127.0.0.1:9?tls=false',
      VIEWS_URL: 'mongodb://127.0.0.1:9',
      BLOBS_URL: `file:${given.folder}`,
      SECRET_KEY,
    };
    const program = given.launch({ env });
    expect((await program.ended).code).to.equal(1);
    expect(program.stderr()).to.match(/^testledger cannot start: .*ECONNREFUSED 127\.0\.0\.1:9/);
  });

  it('refuses a mistyped BOOTSTRAP_API_KEY, and does not show it', () => {
    const mistyped = OWNER_KEY.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    const read = () => readConfig({ BOOTSTRAP_API_KEY: mistyped });
    expect(read).to.throw('BOOTSTRAP_API_KEY').with.property('message').that.does.not.include(mistyped);
  });

  it("makes BOOTSTRAP_API_KEY an owner's key on an empty log; on any other log it ignores the key and logs that", async () => {
    const first = await given.start();
    const { status, body } = await first.owner.get('/v1/me');
    expect(status).to.equal(200);
    expect(body.data.key).to.include({ role: 'owner', name: 'bootstrap' });
    expect(first.logged().map(({ msg }) => msg)).to.not.include(IGNORED);
    await first.stop();

    const other = newApiKey();
    const second = await given.start({ env: { BOOTSTRAP_API_KEY: other } });
    await second.line(IGNORED);
    expect((await second.as(other).get('/v1/me')).status).to.equal(401);
    expect((await second.owner.get('/v1/me')).status).to.equal(200);
    for (const program of [first, second]) expect(withoutLink(program.stderr())).to.equal('');
  });

  it('logs each request as one line of JSON, within moments', async () => {
    const server = await given.start();
    await server.owner.get('/v1/projects', { 'X-Request-Id': 'seen-again' });
    await until('the line', () => requestsOf(server).some(({ request_id }) => request_id === 'seen-again'));
    const [line] = requestsOf(server).filter(({ request_id }) => request_id === 'seen-again');
    expect(line).to.include({ method: 'GET', path: '/v1/projects', status: 200 });
    expect(line!['ms']).to.be.a('number');
  });
});

const IGNORED = 'BOOTSTRAP_API_KEY is ignored: the log is not empty';

function requestsOf(program: Program) {
  return program.logged().filter(({ msg }) => msg === 'request');
}
