/** Who looks after a test, in a column: on one line, and whole in its title. */
export function Owner({ name }: { name: string }) {
  return (
    <span class="owner" title={name}>
      {name}
    </span>
  );
}
