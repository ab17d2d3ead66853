// The name of the model that answered: which names a record takes, and which are of another model than the one asked for.
import { describe, expect, it } from 'vitest'
import { isAnotherModel, readServedModel } from '../../../src/providers/served-model.ts'

describe('a named model', () => {
  it.each([
    ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14'],
    ['gpt-5.6-luna', 'gpt-5.6-luna'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    ['gemini-3.6-flash', 'gemini-3.6-flash'],
    ['gemini-3.6-flash', 'models/gemini-3.6-flash'],
    ['gemini-3.6-flash', 'gemini-3.6-flash-001'],
    ['perplexity/sonar', 'perplexity/sonar'],
    ['gpt-4.1-mini', null],
    ['gpt-4.1-mini', ''],
  ])('is the one asked for: %s as %s', (asked, named) => {
    expect(isAnotherModel(asked, named)).toBe(false)
  })

  it.each([
    ['gemini-3.7-flash', 'gemini-3.8-flash'],
    ['gpt-4.1-mini', 'gpt-4.1'],
    ['gpt-4.1-mini', 'gpt-4.1-mini-preview'],
    ['gpt-4.1-mini', 'gpt-4.1-mini-preview-2025-04-14'],
    ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14-preview'],
    ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04'],
    ['gpt-4.1-mini', 'gpt-4.1-mini-2025-02-30'],
    ['gpt-4.1-mini', 'gpt-4.1-mini2025-04-14'],
    ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14\n'],
    ['gpt-4.1-mini', 'GPT-4.1-mini'],
    ['gpt-4.1-mini', 'models/models/gpt-4.1-mini'],
    ['gpt-4.1-mini', 'gpt-6-luna'],
    ['claude-opus-5', 'claude-opus-5-5'],
    ['claude-opus-5', 'claude-opus-5-5-20260901'],
    ['gemini-3.5-flash', 'gemini-3.5-flash-lite'],
    ['perplexity/sonar', 'perplexity/sonar-pro'],
    ['perplexity/sonar', 'sonar'],
    ['perplexity/sonar', 'anthropic/claude-sonnet-5'],
    ['gpt-4.1-mini', ' '],
  ])('is another than the one asked for: %s as %j', (asked, named) => {
    expect(isAnotherModel(asked, named)).toBe(true)
  })

  it('enters a record if it is short and plain', () => {
    const names = ['gpt-4.1-mini-2025-04-14', 'models/gemini-3.6-flash', 'm'.repeat(128)]
    expect(names.map(readServedModel)).toEqual(names)
    const refused = [null, '', 'm'.repeat(129), 'a model', 'modèle', 'gpt\n', 'gpt\u0000', '\u202egpt']
    expect(refused.map(readServedModel)).toEqual(refused.map(() => null))
  })
})
