// The sentence of the front page about where a letter goes follows the readers.
import { expect, it } from 'vitest'
import { whereLettersGo } from '../../../scripts/pages/where-letters-go.ts'

it('names each provider and where it processes text', () => {
  expect(whereLettersGo(['gpt-4.1-mini', 'gemini-3.6-flash'])).toBe(
    'To the providers of both readers: OpenAI, in the United States; and Google, in any country, as the provider chooses.',
  )
  expect(whereLettersGo(['claude-sonnet-5', 'sonar'])).toBe(
    'To the providers of both readers: Anthropic, in the United States; and Perplexity, in the United States.',
  )
})

it('says nothing of a model that is not in the catalogue', () => {
  expect(() => whereLettersGo(['gpt-4.1-mini', 'invented-model'])).toThrow('invented-model')
})
