import { expect } from 'chai';
import { CliError } from '../../../src/cli/errors.js';
import { withImport } from '../../../src/cli/import/import-reports.js';
import { SpoolFault } from '../../../src/importers/spool.js';
import { noMasker } from '../../../src/client/masking/masker.js';

describe('an import without room for its results', () => {
  it('says that the command failed, and what would give it room', async () => {
    const wanted = {
      run: {},
      complete: true,
      partial: false,
      strict: false,
      output: 'none',
      pathPrefix: undefined,
      ownerFile: undefined,
      attachmentsRoot: undefined,
      masker: noMasker,
    } as const;
    const failing = withImport({ files: [], left: [] }, wanted, () =>
      Promise.reject(new SpoolFault('no space left')),
    );
    const fault = await failing.catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(CliError).with.property('code', 'command_failed');
    expect(fault).to.have.property('message', 'no space left');
  });
});
