import { describe, expect, it } from 'vitest'
import catalogueFile from '../../../data/models.json' with { type: 'json' }
import { CatalogueSchema } from '../../../src/providers/catalogue.schema.ts'
import {
  catalogueModels,
  findGoneModel,
  findModel,
  nearestModel,
  pricesAt,
  resolveModelName,
} from '../../../src/providers/model-catalogue.ts'

import { modelNamed, PRICED_AT } from '../../fixtures/providers/models.ts'

const USD = 1_000_000

/** Dollars for a million tokens in, cached and out. */
function dollarsAt(id: string, at: number | string): string {
  const { usdPerMillion: prices } = pricesAt(modelNamed(id), typeof at === 'string' ? Date.parse(at) : at)
  return [prices.input, prices.cachedInput, prices.output].map((price) => price / USD).join(' ')
}

describe('the catalogue', () => {
  it('offers the gateway thirteen models, at their prices of today', () => {
    const offered = catalogueModels().filter((model) => model.gateway)
    const rows = offered.map(({ id, provider, ownedBy }) => [provider, ownedBy, id, dollarsAt(id, PRICED_AT)].join(' '))
    expect(rows).toEqual([
      'openai openai gpt-5.6-sol 4 0.4 20',
      'openai openai gpt-5.6-terra 2 0.2 12',
      'openai openai gpt-5.6-luna 0.2 0.02 1.2',
      'openai openai gpt-6-luna 0.1 0.01 0.5',
      'openai openai gpt-4.1-mini 0.4 0.1 1.6',
      'anthropic anthropic claude-opus-5 5 0.5 25',
      'anthropic anthropic claude-sonnet-5 2 0.2 10',
      'anthropic anthropic claude-haiku-5-5 0.1 0.01 0.5',
      'anthropic anthropic claude-haiku-4-5 1 0.1 5',
      'google google gemini-3.8-flash 0.75 0.075 3.75',
      'google google gemini-3.5-flash-lite 0.3 0.03 2.5',
      'perplexity perplexity sonar-pro 0.25 0.0625 2.5',
      'perplexity perplexity sonar 0.25 0.0625 2.5',
      'mistral mistral mistral-medium-3-5 1.65 0.165 8.25',
      'mistral mistral mistral-large-4 1.496 0.154 4.598',
    ])
    expect(offered.filter((model) => model.costEffective).map((model) => model.id)).toEqual([
      'gpt-5.6-luna',
      'gpt-6-luna',
      'gpt-4.1-mini',
      'claude-haiku-5-5',
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
    for (const { usdPerMillion } of catalogueModels().flatMap(({ prices }) => prices))
      expect(usdPerMillion.cachedInput).toBeLessThanOrEqual(usdPerMillion.input)
  })

  it('pins the model beside each preset, which could resolve to another vendor’s', () => {
    const presets = catalogueModels().flatMap(({ provider, wire }) => (provider === 'perplexity' ? [wire.model] : []))
    expect(presets).toEqual(['perplexity/sonar', 'perplexity/sonar'])
  })

  it('knows which models are deprecated or legacy, and what their providers name in their place', () => {
    const rows = catalogueModels().map(({ id, lifecycle: { status, retiresOn, replacement } }) =>
      [id, status, retiresOn, replacement].join(' '),
    )
    expect(rows.filter((row) => !row.includes(' active '))).toEqual([
      'gpt-4.1-mini deprecated 2027-01-14 gpt-6-luna',
      'claude-opus-5 legacy  claude-opus-5-5',
      'claude-sonnet-5 legacy  claude-sonnet-5-5',
      'claude-haiku-4-5 legacy  claude-haiku-5-5',
      'gemini-3.6-flash legacy  gemini-3.8-flash',
    ])
  })

  it('knows what replaced a model that is gone, and only that', () => {
    expect(findGoneModel('gemini-3.7-flash')).toMatchObject({ replacement: 'gemini-3.8-flash', since: '2026-10-08' })
    expect(['gemini-3.8-flash', 'gpt-2', 'constructor'].map(findGoneModel)).toEqual([null, null, null])
  })

  it('does not know a model by a name that every object has', () => {
    expect(findModel('constructor')).toBeNull()
  })
})

describe('a name of a model', () => {
  it.each([
    ['of no model', 'gpt-2'],
    ['that is empty', ''],
    ['that is only an owner', 'openai/'],
    ['that is only a slash', '/'],
    ['without the owner before the slash', '/gpt-4.1-mini'],
    ['of another owner', 'anthropic/gpt-4.1-mini'],
    ['of no owner', 'azure/gpt-4.1-mini'],
    ['with its owner twice', 'openai/openai/gpt-4.1-mini'],
    ['in another case', 'GPT-4.1-mini'],
    ['with its owner in another case', 'OpenAI/gpt-4.1-mini'],
    ['with an unknown suffix', 'gpt-4.1-mini-preview'],
    ['with a suffix that moves', 'gpt-4.1-mini-latest'],
    ['with a suffix after the date', 'gpt-4.1-mini-2025-04-14-preview'],
    ['with a revision', 'gemini-3.8-flash-001'],
    ['with two dates', 'gpt-4.1-mini-2025-04-14-2025-04-14'],
    ['with a day that no calendar has', 'gpt-4.1-mini-2025-02-30'],
    ['with a month that no calendar has', 'gpt-4.1-mini-20251301'],
    ['with half a date', 'gpt-4.1-mini-2025-04'],
    ['with a date in two spellings', 'gpt-4.1-mini-2025-0414'],
    ['with no hyphen before the date', 'gpt-4.1-mini2025-04-14'],
    ['with a line end after the date', 'gpt-4.1-mini-2025-04-14\n'],
    ['that every object has', 'constructor'],
    ['that is a date', '-2025-04-14'],
    // The model may be asked by another route, outside the region of this one.
    ['of a route that is not the preferred one', 'eu.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['with the provider of such a route', 'bedrock/claude-opus-5'],
  ])('%s means none: %j', (_, name) => expect(resolveModelName(name)).toBeNull())

  it.each([
    ['gpt-4.1-mini', 'gpt-4.1-mini'],
    ['gpt-4.1-mini-2025-04-14', 'gpt-4.1-mini'],
    ['gpt-4.1-mini-20250414', 'gpt-4.1-mini'],
    ['openai/gpt-4.1-mini', 'gpt-4.1-mini'],
    ['openai/gpt-4.1-mini-2025-04-14', 'gpt-4.1-mini'],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['perplexity/sonar-pro', 'sonar-pro'],
    // Both of its owner's models have this name on their routes.
    ['perplexity/sonar', 'sonar'],
  ])('%s means %s', (name, id) => expect(resolveModelName(name)).toBe(id))
})

describe('the nearest model', () => {
  it.each(['gpt-2', '', '/', 'soap', 'o3', 'gpt-4.1-mini-preview', 'x'.repeat(10_000), 'gemini-3.6'])(
    'is none for %j',
    (name) => expect(nearestModel(name)).toBeNull(),
  )

  it.each([
    ['gpt-4o-mini', 'gpt-4.1-mini'],
    ['GPT-4.1-Mini', 'gpt-4.1-mini'],
    ['azure/gpt-4.1-mini-2025-04-14', 'gpt-4.1-mini'],
    ['claude-sonnet-4-5', 'claude-sonnet-5'],
    ['sonnar', 'sonar'],
    // The gateway does not offer this one.
    ['gemini-3.6-flash', 'gemini-3.8-flash'],
  ])('to %s is %s', (name, id) => expect(nearestModel(name)).toBe(id))
})

describe('the prices of a time', () => {
  it.each([
    ['gpt-5.6-sol', '2026-08-20T23:59:59.999Z', '5 0.5 30'],
    ['mistral-large-4', '2026-11-27', '0.77 0.077 2.31'],
    ['gpt-5.6-sol', '2026-08-21', '4 0.4 20'],
    ['gemini-3.6-flash', '2026-08-12T23:59:59.999Z', '1.5 0.15 7.5'],
    ['gemini-3.6-flash', '2026-12-31T23:59:59.999Z', '0.75 0.075 3.75'],
    ['gemini-3.6-flash', '2027-01-01', '1.5 0.15 7.5'],
    ['gemini-3.8-flash', '2026-12-31T23:59:59.999Z', '0.75 0.075 3.75'],
    ['gemini-3.8-flash', '2027-01-01', '1.5 0.15 7.5'],
    ['claude-haiku-4-5', '1970-01-01', '1 0.1 5'],
    ['claude-haiku-4-5', '9999-12-31', '1 0.1 5'],
  ])('%s on %s: %s', (id, at, dollars) => expect(dollarsAt(id, at)).toBe(dollars))

  it.each([Number.NaN, -Infinity, -1])('are the first ones at %s', (at) =>
    expect(dollarsAt('gpt-5.6-sol', at)).toBe('5 0.5 30'),
  )

  it('are marked as read at the provider only for Anthropic’s models and one of Mistral’s', () => {
    const verified = catalogueModels().filter(({ prices }) => prices.some((price) => price.verified))
    expect(verified.map(({ id }) => id)).toEqual([
      'claude-opus-5',
      'claude-sonnet-5',
      'claude-haiku-4-5',
      'mistral-medium-3-5',
    ])
  })
})

describe('a catalogue file is refused', () => {
  const [first, ...rest] = catalogueFile.models
  const [priced] = first?.prices ?? []
  const accepts = (change: object) =>
    CatalogueSchema().safeParse({ ...catalogueFile, models: [{ ...first, ...change }, ...rest] }).success

  const [gone] = catalogueFile.gone
  const acceptsGone = (...rows: object[]) => CatalogueSchema().safeParse({ ...catalogueFile, gone: rows }).success
  const acceptsPrices = (change: object) => accepts({ prices: [{ ...priced, from: null, until: null, ...change }] })
  const span = (from: string | null, until: string | null) => ({ ...priced, from, until })

  it('accepts prices that follow one another', () =>
    expect(accepts({ prices: [span(null, '2026-08-21'), span('2026-08-21', null)] })).toBe(true))
  it('accepts the one that ships', () => expect(accepts({})).toBe(true))
  it('when a price is a number, whose decimals are not exact', () =>
    expect(acceptsPrices({ usdPerMillion: { ...priced?.usdPerMillion, input: 0.1 } })).toBe(false))
  it('when a price has more decimals than a micro-dollar', () =>
    expect(acceptsPrices({ usdPerMillion: { ...priced?.usdPerMillion, input: '0.1234567' } })).toBe(false))
  it.each([
    ['none', []],
    ['that end', [span(null, '2026-08-21')]],
    ['that begin', [span('2026-08-21', null)]],
    ['with a gap', [span(null, '2026-08-21'), span('2026-08-22', null)]],
    ['that overlap', [span(null, '2026-08-21'), span('2026-08-20', null)]],
    ['in the wrong order', [span('2026-08-21', null), span(null, '2026-08-21')]],
    ['of which one has no end before the last', [span(null, null), span('2026-08-21', null)]],
    [
      'that end before they begin',
      [span(null, '2026-08-21'), span('2026-08-21', '2026-08-20'), span('2026-08-20', null)],
    ],
    ['of no day', [span(null, '2026-08-21'), span('2026-08-21', '2026-08-21'), span('2026-08-21', null)]],
    ['of a day that no calendar has', [span(null, '2026-02-30'), span('2026-02-30', null)]],
  ])('when it has prices %s', (_, prices) => expect(accepts({ prices })).toBe(false))
  it('when nobody says where its prices were read', () => expect(acceptsPrices({ source: '' })).toBe(false))
  it('when two models share an id', () => expect(accepts({ id: 'sonar' })).toBe(false))
  it.each([
    ['an end and is not deprecated', { status: 'active', retiresOn: '2027-01-14' }],
    ['no end and is deprecated', { status: 'deprecated' }],
    ['an end on no day', { status: 'deprecated', retiresOn: '2027-02-30' }],
    ['a status that nobody knows', { status: 'retired' }],
  ])('when a model has %s', (_, change) =>
    expect(accepts({ lifecycle: { ...first?.lifecycle, ...change } })).toBe(false),
  )
  it('when a model is gone and there', () => expect(acceptsGone({ ...gone, id: 'sonar' })).toBe(false))
  it('when a model is gone twice', () => expect(acceptsGone(gone ?? {}, gone ?? {})).toBe(false))
  it.each(['gpt-6.1-luna', 'gemini-3.6-flash', 'gemini-3.7-flash'])(
    'when a model is replaced by %s, which is not offered',
    (replacement) => expect(acceptsGone({ ...gone, replacement })).toBe(false),
  )
  it('when nobody says since when a model is gone', () =>
    expect(acceptsGone({ ...gone, since: 'October' })).toBe(false))
  it('when it holds a member nobody reads', () => expect(accepts({ colour: 'red' })).toBe(false))
  it('when a preset stands without its model', () =>
    expect(accepts({ wire: { dialect: 'perplexity', preset: 'low' } })).toBe(false))
  it('when nobody says what a picture can cost', () =>
    expect(accepts({ limits: { contextTokens: 1000, maxOutputTokens: 1000 } })).toBe(false))
  it('when a model looks things up and nobody says what that can cost', () =>
    expect(accepts({ search: { steps: 1, inputTokens: 1000 } })).toBe(false))
})
