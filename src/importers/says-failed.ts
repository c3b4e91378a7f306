/** Whether a word for the end of a test says that it failed, in whichever form a writer has it. */
export function saysFailed(word: string): boolean {
  return /^(?:fail(?:ed|ure|ing)?|errore?d?|broken|tim(?:ed)?[ _-]?out|crash(?:ed)?|abort(?:ed)?|hook[ _-]error)$/i.test(
    word.trim(),
  );
}
