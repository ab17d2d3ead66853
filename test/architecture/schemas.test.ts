// A module makes no schema when it is loaded, because that takes time from the Worker's start.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Finds constants of a module that are made by zod, or from another schema. Compiled schemas are made at start on purpose. */
const madeAtStart = (text: string): string[] =>
  [...text.matchAll(/^(?:export )?const \w+(?:: [^=]+)? = (?:z\b(?!\s*\.compile\()|\w+\(\)\s*\.).*$/gm)].map(
    ([found]) => found,
  )

it('no module makes a schema when it is loaded', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const found = sources.flatMap((path) =>
    madeAtStart(readFileSync(join('src', path), 'utf8')).map((text) => `${path}: ${text}`),
  )
  expect(found).toEqual([])
})

it.each([
  'const name = z.string()',
  'export const KeySchema = z\n  .strictObject({})',
  'const name = NameSchema().nullable()',
])('finds %j', (text) => {
  expect(madeAtStart(text).length).toBe(1)
})

it.each(['const name = once(() => z.string())', 'const name = z.compile(z.string())', '  const name = z.string()'])(
  'does not find %j',
  (text) => {
    expect(madeAtStart(text)).toEqual([])
  },
)
