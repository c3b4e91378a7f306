/** The rules for what a person enters about themselves. */
import { invalidFields, type FieldError } from '../errors.js';
import { limits } from '../limits.js';
import { isCommon } from './common-passwords.js';

export type Profile = { name: string; email: string };

/** Returns the profile as it is kept. @throws AppError `validation_failed`, with all wrong fields. */
export function checkedAccount({ password, ...typed }: Profile & { password: string }): Profile {
  const profile = trimmed(typed);
  const faults = [...profileFaults(profile), ...passwordFaults(password)];
  if (faults.length > 0) invalidFields(faults);
  return profile;
}

/** Returns the profile as it is kept. @throws AppError `validation_failed`, with all wrong fields. */
export function checkedProfile(typed: Profile): Profile {
  const profile = trimmed(typed);
  const faults = profileFaults(profile);
  if (faults.length > 0) invalidFields(faults);
  return profile;
}

/** @throws AppError `validation_failed` */
export function checkPassword(password: string): void {
  const faults = passwordFaults(password);
  if (faults.length > 0) invalidFields(faults);
}

/** @throws AppError `validation_failed` */
export function checkEmail(email: string): void {
  const faults = emailFaults(email.trim());
  if (faults.length > 0) invalidFields(faults);
}

/** The form under which an e-mail is found: one mailbox is one person, however they write it. */
export function comparable(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

const trimmed = ({ name, email }: Profile): Profile => ({ name: name.trim(), email: email.trim() });

function profileFaults({ name, email }: Profile): FieldError[] {
  return [...lengthFaults('/name', name, limits.nameLeast, limits.nameLength), ...emailFaults(email)];
}

function passwordFaults(password: string): FieldError[] {
  const faults = lengthFaults('/password', password, limits.passwordLeast, limits.passwordLength);
  if (faults.length > 0 || !isCommon(password)) return faults;
  return [{ pointer: '/password', code: 'not_valid', detail: 'must not be one that is guessed first' }];
}

function emailFaults(email: string): FieldError[] {
  const pointer = '/email';
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    return [{ pointer, code: 'not_valid', detail: 'must be an e-mail address, such as mia@example.org' }];
  }
  return lengthFaults(pointer, email, 3, limits.emailLength);
}

function lengthFaults(pointer: string, text: string, least: number, most: number): FieldError[] {
  // A NUL or a lone surrogate cannot be stored as it is.
  if (/[\0\p{Cs}]/u.test(text)) return [{ pointer, code: 'not_text', detail: 'must be text' }];
  const length = Array.from(text).length;
  if (length < least) {
    return [{ pointer, code: 'too_short', detail: `must have at least ${least} characters` }];
  }
  if (length > most) return [{ pointer, code: 'too_long', detail: `must have at most ${most} characters` }];
  return [];
}
