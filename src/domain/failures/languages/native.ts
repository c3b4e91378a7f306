/** C, C++, Swift and Elixir: their failures name places, and no functions. */
import type { Language } from '../language.js';

export const native: Language = {
  extensions: ['c', 'cc', 'cpp', 'h', 'swift', 'ex', 'exs'],
  noise: [
    '^.{1,400}:\\d+: Failure$',
    '^(?:Loc: \\[.{1,400}\\]|\\(?(?:in test file|from function) .{1,400}, line \\d+[,)])$',
    '^(?:Script|Command Output \\((?:stdout|stderr)\\)|-{2,}|stdout|stderr):?$',
  ],
  // Boost puts a word before it.
  beforeMessage: '- message: ',
};
