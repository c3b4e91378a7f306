import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCalls } from '../../../src/cli/import/calls.js';
import { survey } from '../../../src/cli/import/survey.js';

const files: Record<string, string> = {
  'a.xml': '<testsuite name="a"><testcase name="one"/></testsuite>',
  'broken.xml': '<testsuite name="broken"><testcase name="one"/>',
  'c.json': '{"results":{"tests":[{"name":"one","status":"passed","duration":1}]}}',
  'z.xml': '<testsuite name="z"><testcase name="one"/></testsuite>',
};

describe('the survey of the reports of an import', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-survey-'));
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  });
  after(() => rm(folder, { recursive: true }));

  /** What the survey found, and the names of the results that are sent. */
  async function surveyed(names: readonly string[], partial: boolean) {
    const calls = openCalls();
    try {
      const paths = names.map((name) => join(folder, name));
      const { files, errors, warnings } = await survey(paths, { partial }, calls);
      const results: string[] = [];
      for await (const { items } of calls.all(new Set()))
        for (const { name } of JSON.parse(`[${items.toString()}]`) as { name: string }[]) results.push(name);
      const nameOf = (file: string) => file.slice(folder.length + 1);
      return {
        files: files.map(nameOf),
        errors: errors.map(({ file, code }) => `${nameOf(file)} ${code}`),
        warnings: warnings.map(({ file, code }) => `${nameOf(file)} ${code}`),
        results,
      };
    } finally {
      calls.close();
    }
  }

  it('keeps the results of whole files in order, and none of a broken one', async () => {
    const names = ['a.xml', 'broken.xml', 'z.xml', 'gone.xml', 'c.json'];
    expect(await surveyed(names, false)).to.deep.equal({
      files: ['a.xml', 'z.xml', 'c.json'],
      errors: ['broken.xml incomplete', 'gone.xml cannot_read'],
      warnings: [],
      results: ['a › one', 'z › one', 'one'],
    });
  });

  it('keeps what is complete of a broken file with partial', async () => {
    expect(await surveyed(['broken.xml', 'z.xml'], true)).to.deep.equal({
      files: ['broken.xml', 'z.xml'],
      errors: [],
      warnings: ['broken.xml incomplete'],
      results: ['broken › one', 'z › one'],
    });
  });
});
