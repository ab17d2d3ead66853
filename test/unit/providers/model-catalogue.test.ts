import { describe, expect, it } from 'vitest'
import catalogueFile from '../../../data/models.json' with { type: 'json' }
import { catalogueModels, CatalogueSchema, findModel } from '../../../src/providers/model-catalogue.ts'

const USD = 1_000_000

describe('the catalogue', () => {
  it('offers the gateway eleven models at four providers, at their prices', () => {
    const offered = catalogueModels().filter((model) => model.gateway)
    const rows = offered.map(({ id, provider, ownedBy, usdPerMillion: { input, output } }) =>
      [provider, ownedBy, id, input / USD, output / USD].join(' '),
    )
    expect(rows).toEqual([
      'openai openai gpt-5.6-sol 5 30',
      'openai openai gpt-5.6-terra 2 12',
      'openai openai gpt-5.6-luna 0.2 1.2',
      'openai openai gpt-4.1-mini 0.4 1.6',
      'anthropic anthropic claude-opus-5 5 25',
      'anthropic anthropic claude-sonnet-5 2 10',
      'anthropic anthropic claude-haiku-4-5 1 5',
      'google google gemini-3.7-flash 1.5 7.5',
      'google google gemini-3.5-flash-lite 0.3 2.5',
      'perplexity perplexity sonar-pro 3 15',
      'perplexity perplexity sonar 1 1',
    ])
    expect(offered.filter((model) => model.costEffective).map((model) => model.id)).toEqual([
      'gpt-5.6-luna',
      'gpt-4.1-mini',
      'claude-haiku-4-5',
      'gemini-3.5-flash-lite',
      'sonar',
    ])
  })

  it('has the readers’ models, of which the gateway does not offer gemini-3.6-flash', () => {
    expect(findModel('gpt-4.1-mini')?.gateway).toBe(true)
    expect(findModel('gemini-3.6-flash')?.gateway).toBe(false)
  })

  it('never lets a cached token cost more than a fresh one', () => {
    for (const { usdPerMillion } of catalogueModels())
      expect(usdPerMillion.cachedInput).toBeLessThanOrEqual(usdPerMillion.input)
  })

  it('pins the model beside each preset, which could resolve to another vendor’s', () => {
    const presets = catalogueModels().flatMap(({ wire }) => (wire.dialect === 'perplexity-agent' ? [wire.model] : []))
    expect(presets).toEqual(['perplexity/sonar', 'perplexity/sonar'])
  })

  it('does not know a model by a name that every object has', () => {
    expect(findModel('constructor')).toBeNull()
  })
})

describe('a catalogue file is refused', () => {
  const [first, ...rest] = catalogueFile.models
  const accepts = (change: object) => CatalogueSchema.safeParse({ models: [{ ...first, ...change }, ...rest] }).success

  it('accepts the one that ships', () => expect(accepts({})).toBe(true))
  it('when a price is a number, whose decimals are not exact', () =>
    expect(accepts({ usdPerMillion: { input: 0.1, cachedInput: '0', cacheWrite: '0', output: '0' } })).toBe(false))
  it('when a price has more decimals than a micro-dollar', () =>
    expect(accepts({ usdPerMillion: { input: '0.1234567', cachedInput: '0', cacheWrite: '0', output: '0' } })).toBe(
      false,
    ))
  it('when two models share an id', () => expect(accepts({ id: 'sonar' })).toBe(false))
  it('when it holds a member nobody reads', () => expect(accepts({ colour: 'red' })).toBe(false))
  it('when a preset stands without its model', () =>
    expect(accepts({ wire: { dialect: 'perplexity-agent', preset: 'low' } })).toBe(false))
  it('when nobody says what a picture can cost', () =>
    expect(accepts({ limits: { contextTokens: 1000, maxOutputTokens: 1000 } })).toBe(false))
  it('when a model looks things up and nobody says what that can cost', () =>
    expect(accepts({ search: { steps: 1, inputTokens: 1000 } })).toBe(false))
})
