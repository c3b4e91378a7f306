/** The types of errors in a line of a message. */

/** `System.Net.Http.HttpRequestException` is `HttpRequestException`. */
export function lastSegment(type: string): string {
  return type.split(/[.\\/]|::/).at(-1) ?? '';
}

export function isName(text: string): boolean {
  return /^[A-Za-z_$][\w$]{0,254}$/.test(text);
}

/** Splits the types off a line: `Uncaught Error: TypeError [ERR_ARG]: bad` has three. A code says more than a type. */
export function typesIn(line: string): { types: string[]; rest: string } {
  const types: string[] = [];
  let rest = line
    .replace(
      /^(?:E {1,8}|Uncaught |Unhandled |Message: |\(in promise\) |panic: |failed on (?:setup|teardown) with ")+/,
      '',
    )
    .trim();
  // Browsers write `Uncaught [TypeError: x is not a function]`.
  if (rest.endsWith(']')) rest = rest.replace(/^\[(?=[A-Za-z]{1,200}: )(.*)\]$/s, '$1');
  for (let nth = 0; nth < 4; nth += 1) {
    const [, head, code, after] =
      /^([A-Za-z_$][\w$.\\]{0,200}(?:::[\w$]{1,100}){0,5})(?: \[([A-Z][A-Z0-9_]{2,60})\])?(?: ?:(?: |$)(.*)|)$/s.exec(
        rest,
      ) ?? [];
    const type = head === undefined ? '' : lastSegment(head);
    if (!isName(type) || !looksLikeType(type)) break;
    types.push(...(code === undefined ? [type] : [code, type]));
    rest = after?.trim() ?? '';
  }
  return { types, rest: rest.replace(/ \[recovered\]$/, '') };
}

function looksLikeType(name: string): boolean {
  return /^Assertion$|(?:Error|Exception|Failure|Fault|Throwable|Interrupt|Exit|Warning)$/.test(name);
}
