// Wherever providers are listed, the list is the registry's.
import { describe, expect, it } from 'vitest'
import { PROVIDER_IDS } from '../../../src/providers/provider-registry.ts'
import { startService } from '../../support/unit/service.ts'
import { enumsWith } from '../../support/unit/enums-with.ts'

describe('the providers of the registry', () => {
  it('are those of every list in the OpenAPI document', async () => {
    const document: unknown = await (await startService().fetch('/v1/openapi.json')).json()
    const lists = enumsWith(document, PROVIDER_IDS[0] ?? '')
    expect(lists.length).toBeGreaterThan(4)
    for (const list of lists) expect(list.filter((id) => id !== null)).toEqual(PROVIDER_IDS)
  })
})
