// A module makes no schema when it is loaded, because that takes time from the Worker's start.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, type ESTree } from 'vite'
import { expect, it } from 'vitest'

/**
 * Finds calls of zod and of schemas that run when the module is loaded: those that are in no function. Compiled schemas are made at
 * start on purpose.
 */
function madeAtStart(text: string, path = 'module.ts'): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isCall(node)) {
      const callee = text.slice(node.callee.start, node.callee.end)
      if (callee === 'z.compile') return
      if (/^z\b|[sS]chema(\(.*)?$/s.test(callee)) return void found.push(text.slice(node.start, node.end))
    }
    if ('type' in node && /Function/.test(String(node.type))) return
    Object.values(node).forEach(visit)
  }
  visit(parseSync(path, text).program)
  return found
}

const isCall = (node: object): node is ESTree.CallExpression => 'type' in node && node.type === 'CallExpression'

it('no module makes a schema when it is loaded', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  const found = sources.flatMap((path) =>
    madeAtStart(readFileSync(join('src', path), 'utf8'), path).map((text) => `${path}: ${text}`),
  )
  expect(found).toEqual([])
})

it.each([
  'const name = z.string()',
  'const name =\n  z.string()',
  'export const KeySchema = z\n  .strictObject({})',
  'const name = NameSchema().nullable()',
  'const KeysSchema = listSchema(KeySchema())',
  'const same = KeySchema()',
  'const shape = { name: z.string() }',
  'class Keys { static readonly name = z.string() }',
])('finds %j', (text) => {
  expect(madeAtStart(text).length).toBe(1)
})

it.each([
  'const name = once(() => z.string())',
  'const name = z.compile(z.string())',
  'function name() { return z.string() }',
  'class Keys { name() { return z.string() } }',
])('does not find %j', (text) => {
  expect(madeAtStart(text)).toEqual([])
})
