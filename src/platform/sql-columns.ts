// Maps an object's members to database columns: one list for what a statement selects, inserts and binds.
import { trusted, type Sql } from './sql.ts'

/**
 * Returns `names` such as `id, person_id`; `selected` such as `id AS id, person_id AS personId`, so that a selected row is such an
 * object; and `valuesOf`, which binds an object's values in the order of `names`.
 * @param columns the column of each member. A column of a join has its table before its name.
 * @param table the table's name, for a statement that joins it with others
 */
export function sqlColumnsOf<Item extends Readonly<Record<string, Sql['values'][number]>>>(
  columns: Readonly<Record<keyof Item & string, string>>,
  table?: string,
) {
  const entries: [member: string, column: string][] = Object.entries(columns)
  const prefix = table === undefined ? '' : `${table}.`
  const placeholders = entries.map(() => '?').join(', ')
  return {
    names: trusted(entries.map(([, column]) => column).join(', ')),
    selected: trusted(entries.map(([member, column]) => `${prefix}${column} AS ${member}`).join(', ')),
    valuesOf: (record: Item): Sql => ({ sql: placeholders, values: entries.map(([member]) => record[member] ?? null) }),
  }
}
