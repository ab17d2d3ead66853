// A database's statements with the rows that they read and write, which is what the platform bills and what takes the time.

export type CountedSql = { sql: SqlStorage; rowsRead: () => number; rowsWritten: () => number }

export function countRowsRead(sql: SqlStorage): CountedSql {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const exec: SqlStorage['exec'] = (query, ...bindings) => {
    const cursor = sql.exec<never>(query, ...(bindings as SqlStorageValue[]))
    cursors.push(cursor)
    return cursor
  }
  const counted = new Proxy(sql, {
    get: (target, name) => (name === 'exec' ? exec : (Reflect.get(target, name, target) as unknown)),
  })
  const sum = (name: 'rowsRead' | 'rowsWritten') => (): number =>
    cursors.reduce((rows, cursor) => rows + cursor[name], 0)
  return { sql: counted, rowsRead: sum('rowsRead'), rowsWritten: sum('rowsWritten') }
}
