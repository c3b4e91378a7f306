import { expect } from 'chai';
import { isCommon } from '../../src/people/common-passwords.js';

describe('a password', () => {
  const common = [
    'password1234',
    'Password123!',
    'P@ssw0rd2026!',
    'qwertyuiop12',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
  ];
  for (const each of [
    ...common,
    '123456789012',
    'letmeinletmein',
    'Welcome2026!!',
    'admin1234567',
    'abcdefghijkl',
  ])
    it(`that is guessed first is not taken: ${each}`, () => expect(isCommon(each)).to.equal(true));

  const own = [
    'correct horse battery',
    'the password of Mia',
    'quite another password',
    'x8#kQ2!vLm0p',
    'über alle Berge',
  ];
  for (const each of own) it(`of its own is taken: ${each}`, () => expect(isCommon(each)).to.equal(false));
});
