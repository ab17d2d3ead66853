// docs/errors.md tells of every error code that there is, with its status, and of no other.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERROR_TABLE } from '../../src/platform/errors.ts'

it('every error code is described, under its status', () => {
  const described = readFileSync('docs/errors.md', 'utf8').matchAll(/^### `([a-z_]+)`\n\n\*\*(\d{3})\.\*\*/gm)
  const told = [...described].map(([, code, status]) => [code, Number(status)])
  expect(Object.fromEntries(told)).toEqual(
    Object.fromEntries(Object.entries(ERROR_TABLE).map(([code, { status }]) => [code, status])),
  )
})
