/** A text of a person, whose web addresses are links. No other scheme is one: it could be a script. */
const ADDRESS = /https?:\/\/[^\s<>"'`\p{Cc}\p{Cf}]*[^\s<>"'`\p{Cc}\p{Cf}.,;:!?)\]}]/giu;

/** `most`: signs of the text that are shown. The address of a link is whole. */
export function Linked({ text, most = Infinity }: { text: string; most?: number }) {
  const parts: (string | { address: string; shown: string })[] = [];
  let at = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    if (index >= most) break;
    parts.push(text.slice(at, index));
    at = index + address.length;
    const shown = text.slice(index, Math.min(at, most));
    parts.push(URL.canParse(address) ? { address, shown } : shown);
  }
  if (at < most) parts.push(text.slice(at, most));
  if (text.length > most) parts.push('…');
  return (
    <>
      {parts.map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <a href={part.address} rel="noreferrer noopener">
            {part.shown}
          </a>
        ),
      )}
    </>
  );
}
