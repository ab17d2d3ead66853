// Maps an object's members to database columns: one list for what a statement selects, inserts and binds.
import { trusted, type Sql } from './sql.ts'

type Value = string | number | null | Uint8Array

/** `names`, `placeholders` and `valuesOf` have the same order. */
type Columns<Item> = {
  /** Column names, such as `id, person_id`. */
  readonly names: string
  /** Columns with aliases, such as `id AS id, person_id AS personId`, so that a selected row is such an object. */
  readonly selected: string
  /** A `?` for each column. */
  readonly placeholders: string
  readonly valuesOf: (record: Item) => Value[]
}

/**
 * @param columns the column of each member. A column of a join has its table before its name.
 * @param table the table's name, for a statement that joins it with others
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
    placeholders: entries.map(() => '?').join(', '),
    valuesOf: (record) => entries.map(([member]) => record[member] ?? null),
  }
}

/** Maps like `columnsOf`, for statements that the tag writes. `valuesOf` binds the values in the order of `names`. */
export function sqlColumnsOf<Item extends Readonly<Record<string, Value>>>(
  ...list: Parameters<typeof columnsOf<Item>>
) {
  const { names, selected, placeholders, valuesOf } = columnsOf<Item>(...list)
  return {
    names: trusted(names),
    selected: trusted(selected),
    valuesOf: (record: Item): Sql => ({ sql: placeholders, values: valuesOf(record) }),
  }
}
