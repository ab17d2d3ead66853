// What the log says about an unexpected error.
import { expect, it } from 'vitest'
import { describeThrown } from '../../../src/platform/log.ts'

it('names the command that makes the tables where D1 has none, and repeats no message', () => {
  const described = describeThrown(new Error('D1_ERROR: no such table: organisations: SQLITE_ERROR'))
  expect(described).toMatchObject({
    error_class: 'Error',
    remedy: expect.stringContaining('migrations apply DB') as string,
  })
  expect(JSON.stringify(described)).not.toContain('no such table')
  expect(describeThrown(new Error('D1_ERROR: database is locked'))).not.toHaveProperty('remedy')
})
