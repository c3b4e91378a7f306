/** The suites around a test in a file of mocha-junit-reporter, which writes them flat and joins their titles by spaces. */

export type MochaTitles = {
  /** A suite, in the order of the file: each comes after the suites around it. */
  opened: (title: string) => void;
  /** The titles of a test, the outermost suite first; null where neither text is its full title. */
  of: (className: string, name: string) => string[] | null;
};

/** More suites in a row without a test are no suites around one. */
const REMEMBERED = 1_000;

export function mochaTitles(): MochaTitles {
  /** The suites around the last test, then those that came since. */
  let known: string[] = [];
  return {
    opened(title) {
      if (title === '') return;
      known.push(title);
      if (known.length > REMEMBERED) known.shift();
    },
    of(className, name) {
      const [full, own] = name.length < className.length ? [className, name] : [name, className];
      if (full === own) return [own];
      if (own === '' || !full.endsWith(` ${own}`)) return null;
      const around = full.slice(0, -own.length).trim();
      const { suites, rest } = found(around, known);
      known = suites;
      return [rest, ...suites, own];
    },
  };
}

/** Which of the known suites the text is made of, from its end. Suites that are over are not in it. */
function found(text: string, known: readonly string[]): { suites: string[]; rest: string } {
  const suites: string[] = [];
  let rest = text;
  for (let n = known.length - 1; n >= 0 && rest !== ''; n -= 1) {
    const title = known[n]!.trim();
    if (rest !== title && !rest.endsWith(` ${title}`)) continue;
    suites.unshift(title);
    rest = rest.slice(0, -title.length).trim();
  }
  return { suites, rest };
}
