/**
 * Passwords that a guesser tries first, though they are long enough: a common word with digits and marks around it, one
 * that is repeated, or a row of the keyboard. No list of millions: sign-in takes 10 guesses of an e-mail in 15 minutes.
 */
const words =
  /^(the)?(my|new)?(pass(word|wort|phrase|code)?|passwd|pwd|secret|admin(istrator)?|root|user|guest|welcome|letmein|changeme|default|login|signin|hello|iloveyou|monkey|dragon|master|shadow|sunshine|princess|football|baseball|superman|batman|trustno|starwars|whatever|test(er|ing|ledger)?|demo|temp|summer|winter|spring|autumn|january|february|march|april|october|november|december|monday|friday|company|computer|internet|samsung|google|facebook)*$/;
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1qaz2wsx3edc4rfv5tgb',
];
const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

export function isCommon(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  if (/^(.{1,6}?)\1+.{0,5}$/u.test(text.slice(0, 100))) return true;
  if (rows.some((row) => row.includes(text) || row.split('').toReversed().join('').includes(text)))
    return true;
  const letters = (of: string) => of.replaceAll(/[^a-z]/g, '');
  const read = text
    .split('')
    .map((each) => leet[each] ?? each)
    .join('');
  const trimmed = read.slice(0, text.search(/[^a-z]*$/)).replaceAll(/[^a-z]/g, '');
  const ofRows = (of: string) => of.length >= 4 && rows.some((row) => row.includes(of));
  return [letters(text), letters(read), trimmed].some(
    (each) => each !== '' && (words.test(each) || ofRows(each)),
  );
}
