import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { loadEventSchemas } from '../../src/replay/event-schemas.js';

describe('the schemas of events, as they are served', () => {
  const { index, get } = loadEventSchemas();

  it('are complete: a reader can use each without any other', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { name } of index) expect(() => ajv.compile(get(name)!), name).not.to.throw();
  });

  it('have the definitions of their definitions', () => {
    const { shard } = get('ItemsSubmitted.v1')!['properties'] as Record<string, object>;
    const { $defs } = get('ItemsSubmitted.v1')!;
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile({ ...shard, $defs });
    expect(accepts({ index: 1, total: 2, attempt: 1 })).to.equal(true);
    expect(accepts({ index: 0, total: 2, attempt: 1 })).to.equal(false);
  });
});
