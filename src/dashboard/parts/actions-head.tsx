/** The head of the column with the buttons of each row: only a screen reader needs its name. */
export function ActionsHead() {
  return (
    <th>
      <span class="visually-hidden">Actions</span>
    </th>
  );
}
