// Vite plugin that gives the front page its example letters, grouped by outcome, without the rest of their file, as an asset.
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import * as z from 'zod'
import { ExampleSchema, type Example } from '../../src/referral/examples/examples.ts'

type ShownExample = Pick<Example, 'id' | 'title' | 'text' | 'action'>

/** Groups of examples, in the order of the page. @public */
export type ExampleGroups = readonly { title: string; examples: readonly ShownExample[] }[]

const GROUPS: readonly [title: string, has: (expected: Example['expected']) => boolean][] = [
  ['Both readers name the same specialty', ({ decision }) => decision === 'yes'],
  ['The clinician is asked', ({ decision }) => decision === 'ask'],
  ['An action that is held', ({ decision }) => decision === 'held'],
  ['Refused: it holds an identifier', ({ code }) => code === 'identifier_found'],
  ['Refused: an action that does not exist', ({ code }) => code === 'unknown_action'],
]

function readGroups(): ExampleGroups {
  const examples = z.array(ExampleSchema).parse(JSON.parse(readFileSync('data/examples.json', 'utf8')))
  return GROUPS.map(([title, matches]) => ({
    title,
    examples: examples
      .filter(({ expected }) => matches(expected))
      .map(({ id, title: line, text, action }) => ({ id, title: line, text, action })),
  }))
}

const ID = 'virtual:example-letters'

export const exampleLetters: Plugin = {
  name: 'example-letters',
  resolveId: (id) => (id === ID ? `\0${ID}` : null),
  load(id) {
    if (id !== `\0${ID}`) return null
    // The letters are a quarter of the page's bytes. They are data, and need no parsing as a script.
    const file = this.emitFile({ type: 'asset', name: 'example-letters.json', source: JSON.stringify(readGroups()) })
    return `export default await (await fetch(import.meta.ROLLUP_FILE_URL_${file})).json()`
  },
}
