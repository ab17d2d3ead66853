// A new provider needs models beside what does not compile without it, and is listed in the registry alone.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { catalogueRoutes } from '../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS, PROVIDERS } from '../../src/providers/provider-registry.ts'

it.each(PROVIDER_IDS)('%s has models that the gateway offers', (id) => {
  const models = catalogueRoutes().filter(({ provider, gateway }) => provider === id && gateway)
  expect(models.length, 'add its models to data/models.json, as routes to its endpoints').toBeGreaterThan(0)
})

it('no file names all of them', () => {
  const sources = globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.ts']).map((path) => ({
    path,
    text: readFileSync(path, 'utf8'),
  }))
  for (const names of [PROVIDER_IDS, PROVIDERS.map(({ label }) => label)]) {
    const naming = sources.filter(({ text }) => names.every((name) => text.includes(`'${name}'`)))
    expect(naming.map(({ path }) => path)).toEqual([])
  }
})
