/**
 * Keeps the moment of a page on its links and in its forms of search: those that lead to pages which are shown as of a moment.
 * It works on the text that was rendered, in which all that people wrote is escaped, so that no link can forget it.
 */

export type IsKept = (path: string) => boolean;

/** `paths`: patterns of routes, such as `/teams/:team/runs/:run`. */
export function pathsWithMoment(paths: readonly string[]): IsKept {
  const patterns = paths.map((path) => new RegExp(`^${path.replace(/:\w+/gu, '[^/?#]+')}$`, 'u'));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

export function keepMoment(html: string, moment: string, isKept: IsKept): string {
  const added = `as_of=${encodeURIComponent(moment)}`;
  const withLinks = html.replace(
    /(<a (?:[^>]*? )?href=")(\/[^"#?]*)(\?[^"#]*)?/gu,
    (all, start, path, query = '') => {
      if (!isKept(path as string) || /[?;&]as_of=|data-now/u.test(all)) return all;
      return `${start}${path}${query === '' ? '?' : `${query}&amp;`}${added}`;
    },
  );
  return withLinks.replace(/<form [^>]*method="get"[^>]*>/gu, (form) => {
    const path = /action="([^"?]*)/u.exec(form)?.[1];
    if (path !== undefined && !isKept(path)) return form;
    return `${form}<input type="hidden" name="as_of" value="${attribute(moment)}"/>`;
  });
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
