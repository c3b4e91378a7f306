import type { Attributes } from '../xml/reader.js';

/**
 * The fixture that ran a test case. `classname` is only the class that declares the test: fixtures with other arguments,
 * other types or another derived class have the same one. `fullname` is the fixture and the name of the case, so it
 * tells them apart; where it does not, the suite of the fixture does.
 */
export function fixtureOf(attributes: Attributes, suites: readonly { attributes: Attributes }[]): string {
  const { classname = '', name = '', fullname = '' } = attributes;
  if (classname === '') return '';
  const end = `.${name}`;
  if (name !== '' && fullname.length > end.length && fullname.endsWith(end)) {
    const fixture = fullname.slice(0, -end.length);
    return isSameClass(fixture, classname) ? classname : fixture;
  }
  const suite =
    suites.findLast(({ attributes: { type } }) => type === 'TestFixture')?.attributes.fullname ?? '';
  return suite.startsWith(`${classname}(`) ? suite : classname;
}

/** A writer may leave out the namespace, and a nested class has `+` or `.` before it. */
function isSameClass(fixture: string, className: string): boolean {
  const [one, other] = [fixture, className].map((text) => `.${text.replaceAll('+', '.')}`) as [
    string,
    string,
  ];
  return other.endsWith(one);
}
