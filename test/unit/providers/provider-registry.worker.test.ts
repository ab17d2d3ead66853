// Wherever providers are listed, the list is the registry's.
import { describe, expect, it } from 'vitest'
import { ENDPOINT_IDS, PROVIDER_IDS } from '../../../src/providers/provider-registry.ts'
import { startService } from '../../support/unit/service.ts'
import { enumsWith } from '../../support/unit/enums-with.ts'

describe('the providers of the registry', () => {
  it('are those of every list in the OpenAPI document', async () => {
    const document: unknown = await (await startService().fetch('/v1/openapi.json')).json()
    const [ofEndpoints = [], ofProviders = []] = [true, false].map((isOfEndpoints) =>
      enumsWith(document, PROVIDER_IDS[0] ?? '').filter((list) => list.includes('openai-eu') === isOfEndpoints),
    )
    expect(ofProviders.length).toBeGreaterThan(4)
    for (const list of ofProviders) expect(list.filter((id) => id !== null)).toEqual(PROVIDER_IDS)
    expect(ofEndpoints.length).toBeGreaterThan(0)
    for (const list of ofEndpoints) expect(list.filter((id) => id !== null)).toEqual(ENDPOINT_IDS)
  })
})
