/** The head of a table: the titles of its columns with their classes, such as `number` for one on the right. */
export function Columns({ of }: { of: Readonly<Record<string, string>> }) {
  return (
    <thead>
      <tr>
        {Object.entries(of).map(([title, kind]) => (
          <th scope="col" class={kind || undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
