import { outcomes, type Expected } from './values/outcomes.js';

const hostile: Expected[] = [
  ['hostile/entity-bomb.xml', 'expands no entity', 'error malformed at 3:43'],
  ['hostile/xxe-file.xml', 'reads no file that an entity names', 'error malformed at 3:57'],
  ['hostile/xxe-http.xml', 'asks for no document type, and skips it', 'passed s › t'],
  ['hostile/truncated.xml', 'refuses a report that ends within a text', 'error incomplete at 3:57'],
  ['hostile/truncated-in-tag.xml', 'refuses a report that ends within a tag', 'error incomplete at 3:13'],
  ['hostile/empty.xml', 'refuses an empty file', 'error empty_file'],
  ['hostile/white.xml', 'refuses a file of white characters', 'error empty_file'],
  ['hostile/not-a-report.xml', 'refuses XML that is no report', 'error unknown_format at 2:10'],
  ['hostile/page.html', 'refuses a page of HTML', 'error unsupported_format at 2:7'],
  ['hostile/text.txt', 'refuses plain text', 'error unknown_format'],
  ['hostile/mismatched.xml', 'refuses tags that do not match', 'error malformed at 1:52'],
  ['hostile/not-a-report.json', 'refuses JSON that is no report', 'error unknown_format'],
  ['hostile/list.json', 'refuses a list', 'error unknown_format'],
  ['hostile/broken.json', 'names the place of broken JSON', 'error malformed at 2:18'],
  ['hostile/truncated.json', 'refuses JSON that ends too early', 'error incomplete at 1:102'],
  ['hostile/nunit2.xml', 'refuses NUnit 2 by its name', 'error unsupported_format at 2:38'],
  ['hostile/xunit1.xml', 'refuses xUnit.net v1 by its name', 'error unsupported_format at 1:113'],
];

outcomes('broken and hostile files', 'hostile', hostile);
