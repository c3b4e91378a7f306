/** The name of a test: its suites small, itself large. */
import { visible } from '../text/short.js';

/** The last part is the test. Reporters join the parts with ` › ` or ` > `; some names have no parts. */
function nameParts(name: string): string[] {
  const parts = visible(name)
    .split(/ (?:›|>|»|::|→) /)
    .filter((part) => part.trim() !== '');
  return parts.length === 0 ? [name] : parts;
}

export function NamePath({ name }: { name: string }) {
  const parts = nameParts(name);
  const suites = parts.slice(0, -1);
  return (
    <>
      {suites.length > 0 && <span class="suites name">{`${suites.join(' › ')} › `}</span>}
      <span class="name">{parts.at(-1)}</span>
    </>
  );
}
