/** The image of `docker-compose.yml`, built by its own lines in a folder: no Docker is needed. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { repository } from './pages.js';

const run = promisify(execFile);

describe('the image of docker-compose.yml', function () {
  this.timeout(300_000);

  it('has everything that a built server reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'image-'));
    try {
      for (const line of await linesOfBuild()) await follow(line, folder);
      const { files } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
        files: string[];
      };
      const built = files
        .filter((file) => file.startsWith('dist/'))
        .map((file) => file.slice('dist/'.length));
      expect(await readdir(join(folder, 'dist'))).to.include.members(built);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** The lines of the stage that builds. */
async function linesOfBuild(): Promise<string[]> {
  const compose = parse(await readFile(join(repository, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: { app: { build: { dockerfile_inline: string } } };
  };
  const lines = compose.services.app.build.dockerfile_inline.split('\n').map((line) => line.trim());
  return lines.slice(
    0,
    lines.findIndex((line, at) => at > 0 && line.startsWith('FROM ')),
  );
}

async function follow(line: string, folder: string): Promise<void> {
  const [instruction, ...words] = line.split(' ');
  if (instruction === 'RUN' && line.includes('npm ci')) {
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  } else if (instruction === 'RUN') {
    // The packages are those of the repository, and stay.
    await run('sh', ['-c', words.join(' ').replace(' && npm prune --omit=dev', '')], { cwd: folder });
  } else if (instruction === 'COPY') {
    const sent = (await readFile(join(repository, '.dockerignore'), 'utf8')).split('\n');
    const target = words.pop()!;
    for (const source of words) {
      expect(sent, 'what .dockerignore lets through').to.include(`!${source}`);
      const into = target.endsWith('/') ? join(folder, target, basename(source)) : join(folder, target);
      await mkdir(join(into, '..'), { recursive: true });
      await cp(join(repository, source), into, { recursive: true });
    }
  }
}
