import { expect } from 'chai';
import { openAdmission } from '../../src/admission/admission.js';
import { openPasswords } from '../../src/people/passwords.js';
import { refusal } from '../contract/event-log/events.js';

describe('the hash of a password', () => {
  const cheap = { N: 16, r: 8, p: 1 };

  it('takes scrypt with N = 2^17, r = 8 and p = 1, and a salt of its own', async () => {
    const passwords = openPasswords(openAdmission());
    const [one, other] = await Promise.all([
      passwords.hash('the same one', 'mia'),
      passwords.hash('the same one', 'ben'),
    ]);
    for (const hash of [one, other]) {
      expect(hash).to.match(/^scrypt\$131072\$8\$1\$[\w+/]{22}==\$[\w+/]{43}=$/);
    }
    expect(one).not.to.equal(other);
    expect(await passwords.verify('the same one', one, 'mia')).to.equal(true);
    expect(await passwords.verify('another one', one, 'mia')).to.equal(false);
  });

  it('is verified by the parameters that it names, whatever those of new ones are', async () => {
    const hash = await openPasswords(openAdmission(), { N: 32, r: 4, p: 2 }).hash('an older one', 'mia');
    expect(await openPasswords(openAdmission(), cheap).verify('an older one', hash, 'mia')).to.equal(true);
    expect(await openPasswords(openAdmission(), cheap).verify('an older One', hash, 'mia')).to.equal(false);
  });

  it('is the same for a password that another keyboard composes in another way', async () => {
    const passwords = openPasswords(openAdmission(), cheap);
    const hash = await passwords.hash('pa\u0308ssword f\u00fcr alle', 'mia');
    expect(await passwords.verify('p\u00e4ssword fu\u0308r alle', hash, 'mia')).to.equal(true);
  });

  it('of nobody is never right, and takes as long as that of a person', async () => {
    const passwords = openPasswords(openAdmission(), { ...cheap, N: 2 ** 14 });
    const hash = await passwords.hash('a password', 'mia');
    const timeOf = async (stored: string | null) => {
      const began = performance.now();
      expect(await passwords.verify('not the password', stored, 'mia')).to.equal(false);
      return performance.now() - began;
    };
    const times: [number[], number[]] = [[], []];
    for (let n = 0; n < 5; n += 1) {
      times[0].push(await timeOf(hash));
      times[1].push(await timeOf(null));
    }
    const [person, nobody] = times.map((each) => Math.min(...each)) as [number, number];
    // Without the work it would take less than a hundredth.
    expect(nobody).to.be.within(person / 3, person * 3);
  });

  it('is computed at most twice at once, once for each person, and beyond a queue it is refused', async () => {
    const passwords = openPasswords(openAdmission(), cheap);
    const hash = (of: string) => passwords.hash('one of many', of);
    const of20 = (name: string) => Array.from({ length: 20 }, () => hash(name));
    const done = async (all: readonly Promise<string>[]) =>
      (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled').length;
    expect(await done(of20('mia'))).to.equal(10);
    const all = Array.from({ length: 20 }, (_, n) => of20(`person ${n}`)).flat();
    await refusal(passwords.verify('one more', null, 'another'), 'overloaded');
    expect(await done(all)).to.equal(130);
    // The places are free again.
    await hash('mia');
  });
});
