// The sentence about where a letter goes follows the readers’ routes, and every document has it as it is made.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { API_DESCRIPTION } from '../../../../scripts/document/api-description.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { readEndpointSettings } from '../../../../src/providers/endpoint-settings.ts'
import { chooseReaderRoutes } from '../../../../src/referral/readers/reader-routes.ts'
import { whereLettersGo } from '../../../../src/referral/readers/where-letters-go.ts'

function sentenceWith(settings: object): string {
  const env = { ENVIRONMENT: 'local', JURISDICTIONS: 'off', KEY_PEPPERS: `1:${'0'.repeat(64)}`, ...settings }
  return whereLettersGo(chooseReaderRoutes(readConfig(env).readers, readEndpointSettings(env, 'local')))
}

const DEFAULT = sentenceWith({})
const IN_EUROPE = sentenceWith({ READERS_DATA_REGION: 'eea_ch' })

it('names each provider and where it routes to', () => {
  expect(DEFAULT).toBe(
    'A letter is routed to OpenAI, in the United States; and to Google, in any country, as the provider chooses.',
  )
  expect(IN_EUROPE).toBe(
    'A letter is routed to OpenAI, in the European Economic Area or Switzerland; and to Amazon Bedrock, in Germany, Spain, France, Ireland, Italy or Sweden.',
  )
})

it('follows the key that there is', () => {
  expect(sentenceWith({ OPENAI_EU_API_KEY: 'key' })).toContain('OpenAI, in the European Economic Area or Switzerland')
})

const wordsOf = (file: string): string => readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ')

it.each(['README.md', 'docs/data.md'])('%s has it by default and inside Europe', (file) => {
  expect(wordsOf(file)).toContain(DEFAULT)
  expect(wordsOf(file)).toContain(`\`READERS_DATA_REGION=eea_ch\``)
  expect(wordsOf(file)).toContain(IN_EUROPE)
})

const PLACES = 'Europe|the EU|EU/EEA|EEA|Switzerland|United States|country|anywhere|region|where'
const PROCESSES = new RegExp(
  `\\bprocess(?:es|ed)? (?:it|text|data|prompts?|letters?|calls?)\\b[^.|]*\\b(?:${PLACES})\\b` +
    `|\\b(?:${PLACES})\\b[^.|]{0,40}\\bprocess(?:es|ed)? (?:it|text|data|prompts?|letters?|calls?)\\b`,
)

it('no published text says that a provider processes text in a place', () => {
  expect('One provider processes it in the United States').toMatch(PROCESSES)
  expect('where each enabled provider processes text').toMatch(PROCESSES)
  const sources = ['README.md', 'docs/*.md', 'src/pages/**/*.{html,ts,tsx}', 'src/**/*.{schema,routes}.ts']
  const published = globSync([...sources, 'src/reports/**/*.ts', 'scripts/document/*.ts'])
  expect(published.filter((file) => PROCESSES.test(wordsOf(file)))).toEqual([])
  expect(API_DESCRIPTION.info.description).toContain('%WHERE_LETTERS_GO%')
})
