import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { testServer } from '../../kit/server.js';
import { commandLine } from '../command-line.js';
import { fakeForge } from '../forge/fake-forge.js';
import { jobOf, repository } from './job.js';
import { eventOfPullRequest, services } from './services.js';

type Snippet = { title: string; language: string; text: string };

const page = await readFile(join(repository, 'docs/ci.md'), 'utf8');

describe('CI recipes', () => {
  const server = testServer();
  const given = commandLine(server);
  const forge = fakeForge();

  for (const { title, language, text } of snippetsOf(page)) {
    it(`have commands that run, each with the code 0: ${title}`, async () => {
      const scripts = language === 'yaml' ? scriptsIn(parse(text)) : shellOfJenkins(text);
      const job = await jobOf(given, { one: 'passed' }, { client: 'served' });
      const event = await given.file('event.json', JSON.stringify(eventOfPullRequest));
      if (text.includes('download-artifact')) await job.step('npm test');
      const env = {
        ...services[serviceOf(text)]!(forge, event),
        RUN_KEY: 'fork',
        HEAD_OWNER: 'ann',
        HEAD_BRANCH: 'fix',
        HEAD_SHA: 'abc',
        PULL_REQUEST: '12',
        CI_URL: 'https://ci.example/1',
        CI_NODE_TOTAL: '4',
      };
      for (const script of scripts)
        for (const shard of isOfShard(script) ? [1, 2, 3, 4] : [1]) {
          const shown = script.replaceAll(/\$\{\{ *([\w.]+) *\}\}/gu, (_, name: string) =>
            name === 'matrix.shard' ? String(shard) : '77',
          );
          const { code, stderr } = await job.step(shown, { ...env, CI_NODE_INDEX: String(shard) });
          expect(code, `${shown}\n${stderr}`).to.equal(0);
        }
      if (!scripts.some((script) => script.includes('testledger'))) return;
      for (const command of await job.commands()) expect(command).to.match(/^0 /u);
    });
  }

  it('cover GitHub, GitLab, Jenkins, CircleCI and Azure, and name the permissions of every GitHub workflow', () => {
    for (const service of ['GitHub Actions', 'GitLab', 'Jenkins', 'CircleCI', 'Azure Pipelines'])
      expect(page).to.include(`\n## ${service}\n`);
    for (const { language, text } of snippetsOf(page)) {
      if (language !== 'yaml' || !text.includes('runs-on')) continue;
      const { permissions, jobs } = parse(text) as {
        permissions?: object;
        jobs: Record<string, { permissions?: object }>;
      };
      for (const [name, job] of Object.entries(jobs))
        expect(permissions ?? job.permissions, name).to.be.an('object');
    }
  });

  it('pin each action, keep no token in a checkout, and give the key to steps of testledger alone', () => {
    type Step = { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string> };
    for (const { language, text } of snippetsOf(page)) {
      if (language !== 'yaml' || !text.includes('runs-on')) continue;
      const workflow = parse(text) as { env?: object; jobs: Record<string, { env?: object; steps: Step[] }> };
      expect(workflow.env ?? {}).to.not.have.property('TESTLEDGER_API_KEY');
      for (const { env = {}, steps } of Object.values(workflow.jobs)) {
        expect(env).to.not.have.property('TESTLEDGER_API_KEY');
        for (const { uses = '', run = '', with: given = {}, env: own = {} } of steps) {
          if (uses !== '') expect(uses).to.match(/@(?:[0-9a-f]{40}|<commit>)$/u);
          if (uses.startsWith('actions/checkout@'))
            expect(given).to.include({ 'persist-credentials': false });
          // A job with a token needs no key.
          const needsKey = run.startsWith('testledger ') && !text.includes('id-token: write');
          expect('TESTLEDGER_API_KEY' in own, run).to.equal(needsKey);
        }
      }
    }
  });

  it('put no text of a pull request into a script', () => {
    for (const { language, text } of snippetsOf(page)) {
      if (language !== 'yaml') continue;
      for (const script of scriptsIn(parse(text)))
        for (const [, name] of script.matchAll(/\$\{\{ *([\w.]+)/gu))
          expect(name).to.match(/^(?:matrix\.shard|github\.run_id)$/u);
    }
  });
});

function serviceOf(recipe: string): string {
  if (recipe.includes('pipeline {')) return 'Jenkins';
  if (recipe.includes('runs-on:')) return 'GitHub Actions';
  if (recipe.includes('vmImage:')) return 'Azure Pipelines';
  return recipe.includes('cimg/') ? 'CircleCI' : 'GitLab';
}

function isOfShard(script: string): boolean {
  return /matrix\.shard|CI_NODE_INDEX/u.test(script);
}

function snippetsOf(text: string): Snippet[] {
  let title = '';
  return [...text.matchAll(/^#+ (.+)$|^```(yaml|groovy)\n([\s\S]*?)^```$/gmu)].flatMap(
    ([, heading, language, content], n) => {
      if (heading !== undefined) title = heading;
      return content === undefined ? [] : [{ title: `${title} (${n})`, language: language!, text: content }];
    },
  );
}

/** The scripts of all services, in the order of the document: `run` of steps, `script` and `after_script`. */
function scriptsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(scriptsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (!['run', 'script', 'after_script'].includes(name)) return scriptsIn(inner);
    return (Array.isArray(inner) ? inner : [inner]).map(String);
  });
}

function shellOfJenkins(text: string): string[] {
  return [...text.matchAll(/^\s*sh (['"])(.*)\1$/gmu)].map(([, , script]) => script!);
}
