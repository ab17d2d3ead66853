// The texts in the tools of a Responses request, and tools that have a text in each of these places.
import type { TextPlace } from '../../../../src/scanning/texts/request-texts.ts'
import type { Plant } from './wire-texts.ts'

type Texts = Readonly<Record<string, readonly TextPlace[]>>

export const schemaWith = (plant: Plant) => ({
  type: 'object',
  description: plant('schema description'),
  properties: {
    [plant('schema member')]: { type: 'string', enum: [plant('schema enum')], default: plant('schema default') },
    b: { type: 'string', examples: [plant('schema example')], const: plant('schema const') },
    c: { $ref: plant('schema reference', (word) => `#/$defs/${word}`) },
  },
  $defs: {},
})

const functionTexts = (at: string): Texts => ({
  [`${at}(function).name`]: ['tool_name'],
  [`${at}(function).description`]: ['tool_description'],
  [`${at}(function).parameters.*`]: ['tool_schema'],
  [`${at}(custom).name`]: ['tool_name'],
  [`${at}(custom).description`]: ['tool_description'],
  [`${at}(custom).format(grammar).definition`]: ['tool_grammar'],
})

export const toolTexts = (at: string): Texts => ({
  ...functionTexts(at),
  ...functionTexts(`${at}(namespace).tools[]`),
  [`${at}(namespace).name`]: ['tool_name'],
  [`${at}(namespace).description`]: ['tool_description'],
  [`${at}.user_location(approximate).country`]: ['search_place'],
  [`${at}.user_location(approximate).city`]: ['search_place'],
  [`${at}.user_location(approximate).region`]: ['search_place'],
  [`${at}.user_location(approximate).timezone`]: ['search_place'],
})

/** Names of tools must differ. */
const named = (own: string) => (word: string) => `${word}_${own}`

export const plantedTools = (plant: Plant, of: string) => {
  const tools = (within: string) => [
    {
      type: 'function',
      name: plant(`${of} ${within} tool`, named(`${of}_${within}`)),
      description: plant(`${of} ${within} description`),
      parameters: schemaWith((name, made) => plant(`${of} ${within} ${name}`, made)),
    },
    {
      type: 'custom',
      name: plant(`${of} ${within} text tool`, named(`${of}_${within}_text`)),
      description: plant(`${of} ${within} text description`),
      format: { type: 'grammar', syntax: 'lark', definition: plant(`${of} ${within} grammar`) },
    },
  ]
  const namespace = { name: plant(`${of} namespace`, named(of)), description: plant(`${of} namespace description`) }
  return [...tools('plain'), { type: 'namespace', ...namespace, tools: tools('inner') }]
}
