import { expect } from 'chai';
import { openFirstUses } from '../../src/audit/first-uses.js';
import { limits } from '../../src/limits.js';
import { embeddedStores } from '../stores.js';
import { auditOn, client, useOf, told } from './given.js';

describe('the first use of a key from a network', () => {
  const stores = embeddedStores('each test');
  const process = (
    nameFor = async (person: string, text: string): Promise<string | null> => person + text,
  ) => {
    const { audit, report } = auditOn(stores);
    return openFirstUses({
      audit,
      nameFor,
      sealClient: async (_, client) => client,
      clock: stores.clock,
      report,
    });
  };

  it('is told once for each network, whatever the number of uses, processes and starts', async () => {
    const [one, other] = [process(), process()];
    for (const uses of [one, other, one]) {
      for (const n of [1, 2]) uses.used(useOf('key_1'), client(n));
      await uses.close();
    }
    expect(await told(stores)).to.deep.equal(['key_first_used key_1', 'key_first_used key_1']);
  });

  it('is told for so many networks a day, so that whoever has a key cannot fill the log', async () => {
    const most = limits.networksToldPerKey;
    const uses = process();
    for (let n = 0; n < most + 10; n += 1) uses.used(useOf('key_1'), client(n));
    uses.used(useOf('key_2'), client(1));
    await uses.close();
    expect(await told(stores)).to.have.length(most + 1);
    stores.clock.forward(86_400_000);
    uses.used(useOf('key_1'), client(most + 5));
    await uses.close();
    expect(await told(stores)).to.have.length(most + 2);
  });

  it('is told again on each day where it is told daily', async () => {
    const uses = process();
    for (let day = 0; day < 2; day += 1) {
      for (let n = 0; n < 2; n += 1) uses.used({ ...useOf('link_1'), daily: true }, client(1));
      await uses.close();
      stores.clock.forward(86_400_000);
    }
    expect(await told(stores)).to.have.length(2);
  });

  it('names no stream by which the network of a person could be guessed, and is not told of a forgotten one', async () => {
    const uses = process(async (person) =>
      person === 'person_gone' ? null : 'a name by the key of the person',
    );
    uses.used(useOf('key_1', 'person_1'), client(1));
    uses.used(useOf('key_2', 'person_gone'), client(1));
    await uses.close();
    expect(await told(stores)).to.deep.equal(['key_first_used key_1']);
    const { events } = await stores.log.readAll({ after: '', filter: { streams: ['audit-'] } });
    const again = process(async () => 'a name by the key of the person');
    again.used(useOf('key_1', 'person_1'), client(9));
    await again.close();
    // The name decides, and no other text.
    expect(await told(stores)).to.have.length(events.length);
  });
});
