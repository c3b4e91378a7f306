/** What a program has shown besides the link of the first start, which every start shows while there is no person. */
export function withoutLink(shown: string): string {
  return shown.replace(/^\nNobody can sign in yet\..*\n\n {2}\S+\/first-start\/[\w-]{43}\n\n/, '');
}
