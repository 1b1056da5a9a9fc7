/** SQL row of a domain type `T`, with null instead of undefined. */
export type Row<T> = { readonly [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] }

export function fromRow<T extends object>(row: Row<T>): T {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value ?? undefined])) as T
}

/** Returns the row of an INSERT … RETURNING. */
export function inserted<Row>(row: Row | null): Row {
  if (row === null) throw new Error('an insert has returned no row')
  return row
}
