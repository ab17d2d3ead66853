// The places that a new provider needs. Each test says what to add, and where.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../scripts/emulator/server.ts'
import { catalogueRoutes } from '../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS, PROVIDERS } from '../../src/providers/provider-registry.ts'

const REGISTRY = 'src/providers/provider-registry.ts'
const sources = globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.ts'])

const holding = (texts: readonly string[]): string[] =>
  sources.filter((path) => {
    const text = readFileSync(path, 'utf8')
    return texts.every((one) => text.includes(`'${one}'`))
  })

describe.each(PROVIDERS)('the provider $id', ({ id }) => {
  const models = catalogueRoutes().filter(({ provider, gateway }) => provider === id && gateway)

  it('has models that the gateway offers', () => {
    expect(models.length, `add its models to data/models.json, as routes to its endpoints`).toBeGreaterThan(0)
  })

  it.each(models)('has a model that the emulator answers for: $id', ({ wire: { dialect } }) => {
    const names = FORMATS.map(({ name }) => name)
    expect(names, `add the format ${dialect} to scripts/emulator/formats`).toContain(dialect)
  })
})

it.each([
  ['ids', PROVIDER_IDS],
  ['labels', PROVIDERS.map(({ label }) => label)],
])('their %s are listed in the registry alone', (_, texts) => {
  expect(holding(texts)).toEqual([REGISTRY])
})
