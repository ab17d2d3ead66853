// Writes SQL with its values in their places: sql`id = ${id}` binds the id. SECURITY: only SQL becomes part of the text.

/** SQL text with a `?` for each value. */
export type Sql = {
  readonly sql: string
  readonly values: readonly (string | number | null | Uint8Array | ArrayBuffer)[]
}

export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | Sql['values'][number])[]): Sql {
  let text = texts[0] ?? ''
  const values: Sql['values'][number][] = []
  for (const [index, part] of parts.entries()) {
    text += (isSql(part) ? part.sql : '?') + texts[index + 1]
    if (isSql(part)) values.push(...part.values)
    else values.push(part)
  }
  return { sql: text, values }
}

/** Makes SQL of a text that this service wrote and the tag cannot write, such as a list of columns. */
export const trusted = (text: string): Sql => ({ sql: text, values: [] })

/** SQL that is true for what follows the cursor (an id) in a list with the newest first; for all if there is no cursor. */
export const isAfter = (cursor: string | null | undefined, id = sql`id`): Sql =>
  cursor == null ? sql`TRUE` : sql`${id} < ${cursor}`

export const prepare = (db: Pick<D1Database, 'prepare'>, { sql: text, values }: Sql): D1PreparedStatement =>
  db.prepare(text).bind(...values)

/** Runs a statement in a Durable Object's database. */
export const exec = <Row extends Record<string, SqlStorageValue>>(
  storage: SqlStorage,
  { sql: text, values }: Sql,
): SqlStorageCursor<Row> => storage.exec<Row>(text, ...values)

const isSql = (part: Sql | Sql['values'][number]): part is Sql =>
  typeof part === 'object' && part !== null && 'sql' in part
