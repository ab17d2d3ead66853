// The columns of a record: one list for what a statement selects, inserts and binds.

type Value = string | number | null

/** `names`, `places` and `valuesOf` have the same order. */
type Columns<Item> = {
  /** Such as `id, person_id`. */
  readonly names: string
  /** Such as `id AS id, person_id AS personId`: a selected row is a record. */
  readonly selected: string
  /** A `?` for each column. */
  readonly places: string
  valuesOf(record: Item): Value[]
}

/**
 * @param columns the column of each member. A column of a join has its table before its name.
 * @param table for a statement that joins it with others
 */
export function columnsOf<Item extends Readonly<Record<string, Value>>>(
  columns: Readonly<Record<keyof Item & string, string>>,
  table?: string,
): Columns<Item> {
  const entries: [member: string, column: string][] = Object.entries(columns)
  const prefix = table === undefined ? '' : `${table}.`
  return {
    names: entries.map(([, column]) => column).join(', '),
    selected: entries.map(([member, column]) => `${prefix}${column} AS ${member}`).join(', '),
    places: entries.map(() => '?').join(', '),
    valuesOf: (record) => entries.map(([member]) => record[member] ?? null),
  }
}
