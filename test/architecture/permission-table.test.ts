// The table of permissions in docs/security.md says what the code does.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { may, PERMISSIONS, ROLES, type Permission, type Who } from '../../src/accounts/access/roles.policy.ts'

const COLUMNS: readonly Who[] = [...ROLES, 'key']

const rows = readFileSync('docs/security.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

it('has a column for everybody', () => {
  expect(rows).toContainEqual(['may', ...COLUMNS])
})

it('says of every permission who has it', () => {
  const documented = rows.flatMap(([first = '', ...cells]) => {
    const permission = /^`(\w+:\w+)`: /.exec(first)?.[1]
    return permission === undefined ? [] : [[permission, cells.map((cell) => cell.startsWith('✓'))]]
  })
  const names = Object.keys(PERMISSIONS) as Permission[]
  expect(documented).toEqual(names.map((name) => [name, COLUMNS.map((who) => may(who, name))]))
})
