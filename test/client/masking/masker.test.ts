import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretForms } from '../../../src/client/masking/forms.generated.js';
import { maskedFile } from '../../../src/client/masking/masked-file.js';
import { openMasker } from '../../../src/client/masking/masker.js';
import { fastest } from '../../processor-time.js';

type Case = {
  about: string;
  env: Record<string, string>;
  text: string;
  masked: string;
  secrets: number;
  leak: string | null;
};

const pytestFolder = new URL('../../../../clients/pytest/', import.meta.url);
const jsonAt = (path: string): unknown => JSON.parse(readFileSync(new URL(path, pytestFolder), 'utf8'));
const cases = jsonAt('tests/masking.json') as Case[];
const token = `ghp_${'a1B2'.repeat(9)}`;

describe('Masking of secrets', () => {
  it('leaves none of 60 secrets of 30 kinds in a text', () => {
    const planted = cases.filter(({ leak }) => leak !== null);
    expect(planted.length).to.be.at.least(60);
    expect(new Set(planted.map(({ about }) => about)).size).to.be.at.least(30);
    for (const { about, env, text, leak } of planted)
      expect(openMasker(env).text(text), about).to.not.include(leak);
  });

  it('masks as the plugin of pytest does, with the same table', () => {
    const { about: _, ...table } = jsonAt('src/pytest_testledger/secret_forms.json') as Record<
      string,
      unknown
    >;
    expect(secretForms).to.deep.equal(table);
    for (const { about, env, text, masked, secrets } of cases) {
      const masker = openMasker(env);
      expect(masker.text(text), about).to.equal(masked);
      expect(masker.found().secrets, about).to.equal(secrets);
    }
  });

  it('masks at most 5 of 10,000 lines with hashes, UUIDs and base64, for short values of variables too', () => {
    const short = {
      DB_PASSWORD: 'root',
      PIN_SECRET: '482913',
      A_TOKEN: 'a1b2',
      CACHE_KEY: 'v1.2',
      B_KEY: 'aB3+',
    };
    const masker = openMasker({ ...short, LONG_TOKEN: 'a1b2c3d4', OTHER_SECRET: 'hunter2' });
    let changed = 0;
    for (let n = 0; n < 10_000; n += 1) {
      const line = ordinaryLine(n);
      if (masker.text(line) !== line) changed += 1;
    }
    expect(changed).to.be.at.most(5);
  });

  it('takes time in proportion to the text, whatever is in it', () => {
    const prefixes = secretForms.forms.flatMap((form) => [...form.prefixes]);
    const pieces = [
      ...prefixes,
      '://a:',
      'eyJ.',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      '...',
    ];
    const masker = openMasker({ A_KEY: 'a'.repeat(500) });
    const cut = '\n[… 1 characters left out …]\n';
    const escapes = ['\\u003c', '\\', `${'a'.repeat(250)}\\u0061`, '\\/'];
    for (const piece of [
      ...pieces,
      ...escapes,
      pieces.join(''),
      `aaaa${cut}`,
      'aaaaaaaa…',
      `eyJ${'a'.repeat(20)}.`,
    ]) {
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      expect(
        fastest(() => masker.text(text), 1_000),
        piece.slice(0, 40),
      ).to.be.below(1_000);
    }
  });

  it('looks for the beginning of a value right before a mark alone, in a log with a mark in each line', () => {
    const variables = Array.from({ length: 6 }, (_, n) => [`N${n}_TOKEN`, `thinks${n}-of-${n}-a-value`]);
    const masker = openMasker(Object.fromEntries(variables));
    const line = 'downloading artefact some/file/in/a/test... done\n';
    const text = line.repeat(20_000);
    expect(fastest(() => masker.text(text), 1_000)).to.be.below(1_000);
    expect(masker.text('it printed thinks1-of-1-a...')).to.equal('it printed ***...');
  });

  it('keeps a value that is a plain word in names, because a test has one name in every job', () => {
    const masker = openMasker({ DB_PASSWORD: 'postgres', API_KEY: 'abcdefgh1234' });
    expect(masker.name('connects to postgres')).to.equal('connects to postgres');
    expect(masker.text('connects to postgres')).to.equal('connects to ***');
    expect(masker.name('takes abcdefgh1234')).to.equal('takes ***');
    expect(masker.metadata({ file: 'postgres.ts', note: ['postgres'] })).to.deep.equal({
      file: 'postgres.ts',
      note: ['***'],
    });
  });

  describe('of files', () => {
    let folder: string;
    before(async () => void (folder = await mkdtemp(join(tmpdir(), 'masking-'))));
    after(() => rm(folder, { recursive: true }));

    const fileOf = (bytes: Uint8Array, contentType: string) => ({
      resultId: 'r',
      label: 'a',
      contentType,
      bytes,
    });

    it('keeps all other bytes, in each encoding', async () => {
      for (const encoding of ['utf8', 'latin1'] as const) {
        const file = await maskedFile(
          fileOf(Buffer.from(`ä ${token} ö`, encoding), 'text/plain'),
          openMasker({}),
        );
        expect(file.bytes, encoding).to.deep.equal(Buffer.from('ä *** ö', encoding));
      }
      const wide = fileOf(Buffer.from(`\ufeffä ${token}`, 'utf16le'), 'application/octet-stream');
      const masked = await maskedFile(wide, openMasker({}));
      expect(masked.bytes).to.deep.equal(Buffer.from('\ufeffä ***', 'utf16le'));
    });

    it('leaves pictures as they are', async () => {
      const picture = fileOf(Buffer.from(`\u0089PNG\0\0${token}`, 'latin1'), 'image/png');
      expect(await maskedFile(picture, openMasker({}))).to.equal(picture);
    });

    it('sends a text of more than 10 MiB as it is, and counts it', async () => {
      const path = join(folder, 'large.log');
      await writeFile(path, 'a log\n'.repeat(10_000));
      const [masker, file] = [openMasker({}), { resultId: 'r', label: 'a', contentType: 'text/plain', path }];
      const small = await maskedFile(file, masker);
      expect(small).to.have.property('bytes');
      await truncate(path, 10 * 1024 * 1024 + 1);
      expect(await maskedFile(file, masker)).to.equal(file);
      expect(masker.found().files_not_searched).to.equal(1);
    });
  });
});

function ordinaryLine(n: number): string {
  const hash = (algorithm: string, seed: string) => createHash(algorithm).update(`${seed}${n}`);
  const uuid = hash('md5', 'u')
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  switch (n % 5) {
    case 0:
      return `commit ${hash('sha1', 'c').digest('hex')} sha256:${hash('sha256', 's').digest('hex')}`;
    case 1:
      return `[12:00:00] GET /v1/orders/${uuid}?page=2 200 in 12 ms (request task-${uuid})`;
    case 2: {
      const bytes = Array.from({ length: 60 }, (_, part) => hash('sha512', `p${part}.`).digest());
      return `<img src="data:image/png;base64,${Buffer.concat(bytes).toString('base64')}">`;
    }
    case 3:
      return `"integrity": "sha512-${hash('sha512', 'i').digest('base64')}", "etag": "${hash('md5', 'e').digest('base64url')}"`;
    default:
      return `    at Cart.pay (file:///home/runner/work/shop/dist/chunk-${hash('md5', 'f').digest('hex')}.js:${n}:7)`;
  }
}
