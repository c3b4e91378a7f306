/** Hashes of passwords: scrypt. A hash names its parameters, so that they can be raised later. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Admission } from '../admission/admission.js';

export type Passwords = {
  /** `of`: the person or e-mail, each of which has its own share of the places. @throws AppError `overloaded` */
  hash(password: string, of: string): Promise<string>;
  /**
   * Whether a password belongs to a hash. Null for the hash of nobody: it takes as long, and is never right, so that the
   * time of an answer does not tell whether a person exists. @throws AppError `overloaded`
   */
  verify(password: string, hash: string | null, of: string): Promise<boolean>;
};

export type PasswordCost = { N: number; r: number; p: number };

/** As OWASP recommends (Password Storage Cheat Sheet, 2024). One hash takes 128 MiB. */
const COST: PasswordCost = { N: 2 ** 17, r: 8, p: 1 };
const [SALT_BYTES, HASH_BYTES] = [16, 32];

const form = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w+/=]+)\$([\w+/=]+)$/;

/** `cost`: for new hashes. */
export function openPasswords(admission: Admission, cost: PasswordCost = COST): Passwords {
  const inTurn = <T>(of: string, work: () => Promise<T>) => admission.run('passwords', { team: of }, work);

  const nobody = textOf(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

  return {
    hash: (password, of) =>
      inTurn(of, async () => {
        const salt = randomBytes(SALT_BYTES);
        return textOf(cost, salt, await derive(password, salt, cost));
      }),
    verify: (password, hash, of) =>
      inTurn(of, async () => {
        const [, N, r, p, salt = '', expected = ''] = form.exec(hash ?? nobody) ?? badHash();
        const made = { N: Number(N), r: Number(r), p: Number(p) };
        const derived = await derive(password, Buffer.from(salt, 'base64'), made);
        return timingSafeEqual(derived, Buffer.from(expected, 'base64')) && hash !== null;
      }),
  };
}

function textOf({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string {
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** Keyboards compose the same characters in different ways, so the text is normalized first (NIST SP 800-63B). */
function derive(password: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function badHash(): never {
  throw new Error('the stored hash of a password has an unknown form');
}
