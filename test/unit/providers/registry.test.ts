// Wherever providers are listed, the list is the registry's.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { PROVIDERS as EMULATED } from '../../../scripts/emulator/turn.ts'
import { catalogueModels } from '../../../src/providers/catalogue.ts'
import { PROVIDER_IDS } from '../../../src/providers/registry.ts'
import { readProviderSettings } from '../../../src/providers/provider-settings.ts'
import { startService } from '../../support/unit/service.ts'
import { enumsWith } from '../../support/unit/enums-with.ts'

const sorted = (ids: Iterable<string>) => [...new Set(ids)].toSorted()

describe('the providers of the registry', () => {
  it.each([
    [
      'with models that the gateway offers',
      catalogueModels().flatMap((model) => (model.gateway ? model.provider : [])),
    ],
    ['with settings of their own', Object.keys(readProviderSettings(env, 'local'))],
    ['that the emulator stands in for', EMULATED],
  ])('are those %s', (_, ids) => {
    expect(sorted(ids)).toEqual(sorted(PROVIDER_IDS))
  })

  it('are those of every list in the OpenAPI document', async () => {
    const document: unknown = await (await startService().fetch('/v1/openapi.json')).json()
    const lists = enumsWith(document, PROVIDER_IDS[0] ?? '')
    expect(lists.length).toBeGreaterThan(4)
    for (const list of lists) expect(list.filter((id) => id !== null)).toEqual(PROVIDER_IDS)
  })
})
