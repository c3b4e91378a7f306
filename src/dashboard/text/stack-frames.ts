/** Places in the source that the lines of a stack name, as paths of the repository. */

export type Frame = { before: string; text: string; after: string; file: string; line: number };

/** `src/cart.ts:12:5`, `/home/ci/shop/src/cart.ts:12`, `"tests/test_cart.py", line 7`. */
const PLACE = /((?:[a-z]:)?[\w@./\\-]*[\w@-]\.[a-z]{1,5})(?::(\d{1,7})|", line (\d{1,7}))/i;

/**
 * The place in a line; null where it names none inside of the repository. `root`: where the tests ran, which is cut off the
 * paths of a disk.
 */
export function frameIn(line: string, root: string | null): Frame | null {
  const found = PLACE.exec(line);
  if (found === null) return null;
  const [text, path = '', one, other] = found;
  const isOnDisk = /^([a-z]:)?[\\/]/i.test(path);
  if (isOnDisk && (root === null || !path.startsWith(root))) return null;
  const file = (isOnDisk ? path.slice(root!.length) : path).replace(/^\.\//, '');
  const after = line.slice(found.index + text.length);
  return { before: line.slice(0, found.index), text, after, file, line: Number(one ?? other) };
}

/** Where the tests ran, by a path of the disk that ends with the file of the result; null where none does. */
export function rootIn(stack: string, file: string | null): string | null {
  if (file === null || file === '') return null;
  for (const [, path = ''] of stack.matchAll(new RegExp(PLACE.source, 'gi')))
    if (path.endsWith(`/${file}`)) return path.slice(0, -file.length);
  return null;
}
