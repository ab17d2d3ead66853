// The rows of an organisation's log are in segments, which only their store knows. Tests speak of them as one table, `entries`.

/** Compound selects of more terms are refused by the runtime. */
const MOST_TERMS = 5

/** Names segments in the place of `entries`. A statement that changes rows needs a log of one segment. */
export function inSegments(sql: SqlStorage, statement: string): string {
  if (!/\bentries(?:\b|_are|_never|_stay)/.test(statement)) return statement
  const tables = listSegments(sql)
  const newest = tables.at(-1) ?? ''
  const only = (): string => {
    if (tables.length > 1) throw new Error(`the log has the segments ${tables.join(', ')}`)
    return newest
  }
  const tableFor = (word: string): string => {
    if (word === 'FROM') return tables.length === 1 ? newest : `(${unionOf(tables)})`
    return word === 'INTO' || word === 'ON' ? newest : only()
  }
  return statement
    .replaceAll(
      /\b(ALTER TABLE|DELETE FROM|UPDATE|FROM|INTO|ON) entries\b/g,
      (_, word: string) => `${word} ${tableFor(word)}`,
    )
    .replaceAll(/\bentries_(?=(are|never|stay)_)/g, () => `${only()}_`)
}

export const listSegments = (sql: SqlStorage): string[] =>
  sql
    .exec<{ first: number }>('SELECT first FROM entry_segments ORDER BY first')
    .toArray()
    .map(({ first }) => `entries_${first}`)

function unionOf(tables: readonly string[]): string {
  const [some, others] = [tables.slice(0, MOST_TERMS - 1), tables.slice(MOST_TERMS - 1)]
  const terms = [...some, ...(others.length > 0 ? [`(${unionOf(others)})`] : [])]
  return terms.map((term) => `SELECT * FROM ${term}`).join(' UNION ALL ')
}
