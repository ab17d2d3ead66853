// Gives the front page the members of the example letters that it shows. The rest of the file would only make the page heavier.
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { z } from 'zod'

const ExamplesSchema = z.array(
  z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    action: z.string().nullable(),
    expected: z.object({ decision: z.string().nullable(), code: z.string().nullable() }),
  }),
)

export const exampleLetters: Plugin = {
  name: 'example-letters',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('/data/examples.json')
      ? JSON.stringify(ExamplesSchema.parse(JSON.parse(readFileSync(id, 'utf8'))))
      : null,
}
