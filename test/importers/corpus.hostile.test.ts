import { outcomes, type Expected } from './outcomes.js';

const hostile: Expected[] = [
  { file: 'hostile/entity-bomb.xml', states: 'expands no entity', lines: ['error malformed at 3:43'] },
  {
    file: 'hostile/xxe-file.xml',
    states: 'reads no file that an entity names',
    lines: ['error malformed at 3:57'],
  },
  {
    file: 'hostile/xxe-http.xml',
    states: 'asks for no document type, and skips it',
    lines: ['passed s › t'],
  },
  {
    file: 'hostile/truncated.xml',
    states: 'refuses a report that ends within a text',
    lines: ['error incomplete at 3:57'],
  },
  {
    file: 'hostile/truncated-in-tag.xml',
    states: 'refuses a report that ends within a tag',
    lines: ['error incomplete at 3:13'],
  },
  { file: 'hostile/empty.xml', states: 'refuses an empty file', lines: ['error empty_file'] },
  { file: 'hostile/white.xml', states: 'refuses a file of white characters', lines: ['error empty_file'] },
  {
    file: 'hostile/not-a-report.xml',
    states: 'refuses XML that is no report',
    lines: ['error unknown_format at 2:10'],
  },
  { file: 'hostile/page.html', states: 'refuses a page of HTML', lines: ['error unsupported_format at 2:7'] },
  { file: 'hostile/text.txt', states: 'refuses plain text', lines: ['error unknown_format'] },
  {
    file: 'hostile/mismatched.xml',
    states: 'refuses tags that do not match',
    lines: ['error malformed at 1:52'],
  },
  {
    file: 'hostile/not-a-report.json',
    states: 'refuses JSON that is no report',
    lines: ['error unknown_format'],
  },
  { file: 'hostile/list.json', states: 'refuses a list', lines: ['error unknown_format'] },
  {
    file: 'hostile/broken.json',
    states: 'names the place of broken JSON',
    lines: ['error malformed at 2:18'],
  },
  {
    file: 'hostile/truncated.json',
    states: 'refuses JSON that ends too early',
    lines: ['error incomplete at 1:102'],
  },
  {
    file: 'hostile/nunit2.xml',
    states: 'refuses NUnit 2 by its name',
    lines: ['error unsupported_format at 2:38'],
  },
  {
    file: 'hostile/xunit1.xml',
    states: 'refuses xUnit.net v1 by its name',
    lines: ['error unsupported_format at 1:113'],
  },
];

outcomes('broken and hostile files', 'hostile', hostile);
