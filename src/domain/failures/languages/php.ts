/** PHP, with PHPUnit. */
import type { Language } from '../language.js';

export const php: Language = {
  foreignFiles: [
    '(?:^|/)bin/phpunit$',
    '^phar:',
    '\\.phar(?:/|$)',
    '/usr/share/php/',
    '^\\[internal function\\]',
    '(?:^|/)vendor/[^]*\\.php$',
  ],
  extensions: ['php', 'phpt'],
  notation: () => ({
    /** `#1 /app/src/Order.php(12): App\Order->total()`: the function is called there, so it is not that of the file. */
    line(line) {
      if (!line.startsWith('#')) return null;
      const path = /^#\d{1,4} ([^()]{1,500}\.php)\(\d+\)/.exec(line)?.[1];
      return path === undefined ? 'none' : { path, fn: null };
    },
  }),
  vagueTypes: 'expectationfailedexception',
  noise: ['^#\\d+ ', '^[\\w\\\\]{1,200}::\\w{1,200}(?: with data set .{0,300})?$'],
};
