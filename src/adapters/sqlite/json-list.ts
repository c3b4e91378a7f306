/** Many values as one JSON list: the driver takes longer for each column of each row than SQLite for all of them. */

/**
 * The SQL of an aggregate: one JSON list of values that are JSON already. `json_group_array` takes those of a subquery for
 * mere texts, and would have to parse each again.
 */
export function jsonList(value: string): string {
  return `'[' || coalesce(group_concat(${value}), '') || ']'`;
}

/** The values of a list that a query gives as its one column. `row`: its raw row. @throws SyntaxError for damaged text */
export function listIn<T>(row: unknown): T[] {
  return JSON.parse((row as [string])[0]) as T[];
}
