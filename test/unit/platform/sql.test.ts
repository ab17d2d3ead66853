import { describe, expect, it } from 'vitest'
import { sql, trusted } from '../../../src/platform/sql.ts'

describe('sql', () => {
  it('binds each value, and takes SQL with its values in the order of its places', () => {
    const bytes = Uint8Array.of(1)
    const held = sql`used_for = ${'a'} AND hash = ${bytes}`
    expect(sql`DELETE FROM ${trusted('links')} WHERE id = ${1} AND ${held} AND ended_at IS ${null}`).toEqual({
      sql: 'DELETE FROM links WHERE id = ? AND used_for = ? AND hash = ? AND ended_at IS ?',
      values: [1, 'a', bytes, null],
    })
  })

  it('makes no text of a string', () => {
    expect(sql`id = ${'1 OR TRUE'}`).toEqual({ sql: 'id = ?', values: ['1 OR TRUE'] })
  })
})
