/** Makes what a release comes with, in `dist-release/`: the package, its bill of materials and their checksums. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'dist-release';
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
execFileSync('npm', ['pack', '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
// From the lock file, so that it names what was tested, and not what is installed here.
const bill = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
  maxBuffer: 64 * 1024 * 1024,
});
writeFileSync(join(folder, 'sbom.cdx.json'), bill);
const sums = readdirSync(folder)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
