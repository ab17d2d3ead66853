import { describe, expect, it } from 'vitest'
import { encodeEntry } from '../../../../src/evidence/entry.ts'
import { eventOfEntry, SETTINGS_CHANGED } from '../../../../src/organisation/journal/load-state.ts'
import { toNamedSettings, DEFAULT_SETTINGS } from '../../../../src/policies/organisation-settings.ts'

describe('an act that changed the settings', () => {
  it('is read though it enabled a provider that is known no more, which is enabled no more', () => {
    const named = { ...toNamedSettings(DEFAULT_SETTINGS), enabled_providers: ['openai', 'gone'], version: 3 }
    const entry = encodeEntry('operator_act', { ...named, kind: 'operator_act', at: '2026-11-21T00:00:00.000Z' })
    const fields = { keyId: null, outcome: SETTINGS_CHANGED, loop: null, microeur: null, settles: null }
    expect(eventOfEntry({ position: 0, kind: 'operator_act', at: 0, entry, ...fields })).toMatchObject({
      kind: 'act',
      settings: { version: 3, enabledProviders: ['openai'] },
    })
  })
})
