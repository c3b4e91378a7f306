import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { compileSchemas } from '../../src/validation/compile.js';

describe('the generated validators', () => {
  for (const folder of ['events', 'requests'] as const) {
    it(`of schemas/${folder} are those of the schemas as they are now (otherwise run npm run build)`, () => {
      const generated = readFileSync(new URL(`../../validators/${folder}.cjs`, import.meta.url), 'utf8');
      expect(generated === compileSchemas(folder)).to.equal(true);
    });
  }
});
