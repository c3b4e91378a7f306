/**
 * The SQL of an aggregate: one JSON list of values that are JSON already. SQLite's own `json_group_array` would parse each
 * of them again.
 */
export function jsonList(value: string): string {
  return `'[' || coalesce(group_concat(${value}), '') || ']'`;
}
