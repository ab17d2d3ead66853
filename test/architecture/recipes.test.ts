// The recipes of docs/contributing.md list every file that has a word of their example, and end with documents and tests.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const SOURCES = globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.ts', 'data/*.json']).map(
  (path) => [path, readFileSync(path, 'utf8')] as const,
)

const recipes = readFileSync('docs/contributing.md', 'utf8')
  .split(/^## /m)
  .filter((part) => part.startsWith('Recipes\n'))
  .flatMap((part) => part.split(/^### /m).slice(1))
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    examples: Array.from(/^Example: (.+)$/m.exec(text)?.[1]?.matchAll(/`([^`]+)`/g) ?? [], ([, word = '']) => word),
    last: text.trimEnd().split('\n\n').at(-1),
    files: Array.from(text.matchAll(/`((?:src|scripts|data)\/[^`]+)`/g), ([, path = '']) => globSync(path)).flat(),
  }))

describe('the recipes', () => {
  it('are of the common changes', () => {
    expect(recipes.map(({ title }) => title)).toEqual([
      "A provider in OpenAI's format",
      'An identifier shape',
      'A policy rule',
      'A limit of the sandbox key',
      'A column of the audit export',
      'A webhook event',
      'A page of the dashboard',
      'A field of the settlement of a chat',
      'The words of a refusal, such as a 402',
      'An error code',
      'A step of the daily upkeep',
    ])
  })

  it.each(recipes)('$title: lists each file that has its example', ({ examples, files }) => {
    expect(examples).not.toEqual([])
    for (const example of examples) {
      const word = new RegExp(`(?<![\\w-])${RegExp.escape(example)}(?![\\w-])`)
      const having = SOURCES.filter(([, text]) => word.test(text)).map(([path]) => path)
      expect(having.filter((path) => !files.includes(path))).toEqual([])
      expect(having.length, example).toBeGreaterThan(0)
    }
  })

  it.each(recipes)('$title: ends with the documents and tests', ({ last }) => {
    expect(last).toMatch(/^\*\*Docs and tests:\*\* /)
  })
})
