// Statements name their columns: an older Worker may run beside a newer object, whose tables have columns more.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name))

/** Finds statements that do not name their columns. */
function nameless(text: string): string[] {
  const unnamed = /\bINSERT\s+(?:OR\s+\w+\s+)?INTO\s+["\w${}]+\s+(?!\()\w+/gi
  const everything = /\b(?:SELECT|RETURNING)\s+(?:DISTINCT\s+)?(?:\w+\.)?\*/gi
  return [...text.matchAll(unnamed), ...text.matchAll(everything)].map(([found]) => found)
}

describe('statements', () => {
  it('name their columns in every file', () => {
    const found = sources.flatMap((path) => nameless(readFileSync(path, 'utf8')).map((text) => `${path}: ${text}`))
    expect(found).toEqual([])
  })

  it.each([
    'SELECT * FROM keys',
    'select *\n from keys',
    'SELECT keys.* FROM keys',
    'SELECT DISTINCT * FROM keys',
    'INSERT INTO keys VALUES (?)',
    'INSERT OR REPLACE INTO keys\n VALUES (?)',
    'INSERT INTO keys SELECT id FROM old_keys',
    'DELETE FROM keys RETURNING *',
  ])('that do not are found: %s', (statement) => {
    expect(nameless(statement).length).toBe(1)
  })

  it.each([
    'SELECT COUNT(*) AS n FROM keys',
    'SELECT n * 2 FROM keys',
    'INSERT INTO keys (id) VALUES (?)',
    'INSERT INTO keys (${COLUMNS}) SELECT id FROM old_keys',
    'DELETE FROM keys RETURNING id',
  ])('that do are not: %s', (statement) => {
    expect(nameless(statement)).toEqual([])
  })
})
