/** .NET. */
import type { Language, NamedFrame } from '../language.js';

export const dotnet: Language = {
  // The folder in which the runtime and packages are built.
  foreignFiles: ['^/_+/'],
  foreignNames: [
    '(?:System|Microsoft|Xunit|NUnit|FluentAssertions|AwesomeAssertions|Shouldly|Moq|NSubstitute|Castle|Bogus)\\.',
    '(?:Newtonsoft|AutoFixture|Polly|Npgsql|MediatR|AutoMapper|Dapper|Serilog|OpenQA|TechTalk|Reqnroll)\\.',
    'InvokeStub_',
  ],
  notation: () => ({ after: { 'at ': frameAt } }),
  vagueTypes: 'assertionexception assertfailedexception xunitexception aggregateexception',
};

/** `Shop.Orders.<TotalAsync>d__4.MoveNext() in C:\a\Orders.cs:line 12`; without a file where symbols are missing. */
function frameAt(text: string): NamedFrame | null {
  const open = text.indexOf('(');
  if (open <= 0 || text.charAt(open - 1) === ' ') return null;
  const qualified = text.slice(0, open);
  const line = text.lastIndexOf(':line ');
  const place = text.indexOf(') in ', open);
  if (place > 0 && line > place) {
    return { path: text.slice(place + ') in '.length, line), fn: nameIn(qualified), qualified };
  }
  if (!text.endsWith(')') || !/^[\w.`<>[\],+|]+$/.test(qualified) || !qualified.includes('.')) return null;
  return { path: null, fn: nameIn(qualified), qualified };
}

/** Asynchronous methods, lambdas and local functions have names that the compiler made from that of their method. */
function nameIn(qualified: string): string {
  return qualified
    .replace(/(?:\.|\+)?<>c(?:__\w+)?(?=[.+])/g, '')
    .replace(/<(\w+)>[a-z]__[\w|]+/g, '$1')
    .replace(/\.MoveNext$/, '')
    .replace(/`\d+|\[[\w.,` ]{0,100}\]/g, '')
    .replaceAll('+', '.');
}
