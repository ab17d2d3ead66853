// Writes SQL with its values in their places: sql`id = ${id}` binds the id. SECURITY: only SQL becomes part of the text.

/** SQL text with a `?` for each value. */
export type Sql = { readonly sql: string; readonly values: readonly (string | number | null | Uint8Array)[] }

export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | Sql['values'][number])[]): Sql {
  const written = parts.map((part): Sql => (isSql(part) ? part : { sql: '?', values: [part] }))
  return {
    sql: texts.map((text, index) => text + (written[index]?.sql ?? '')).join(''),
    values: written.flatMap(({ values }) => values),
  }
}

/** Makes SQL of a text that this service wrote and the tag cannot write, such as a list of columns. */
export const trusted = (text: string): Sql => ({ sql: text, values: [] })

/** SQL that is true for what follows the cursor (an id) in a list with the newest first; for all if there is no cursor. */
export const isAfter = (cursor: string | undefined, id = sql`id`): Sql =>
  cursor === undefined ? sql`TRUE` : sql`${id} < ${cursor}`

export const prepare = (db: Pick<D1Database, 'prepare'>, { sql: text, values }: Sql): D1PreparedStatement =>
  db.prepare(text).bind(...values)

const isSql = (part: Sql | Sql['values'][number]): part is Sql =>
  typeof part === 'object' && part !== null && 'sql' in part
