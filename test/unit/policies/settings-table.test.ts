// Every row of the settings' table: its names are its own, its initial value is allowed, and it is read back as it was stored.
import { describe, expect, it } from 'vitest'
import { newSettingsShape, rowsSetBy } from '../../../src/accounts/organisation-settings.schema.ts'
import {
  DEFAULT_SETTINGS,
  fromNamedSettings,
  NamedSettingsSchema,
  toNamedSettings,
} from '../../../src/policies/organisation-settings.ts'
import * as z from 'zod'

const rows = rowsSetBy('operator')
const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length

describe('the settings’ table', () => {
  it('gives no name to two settings', () => {
    expect(isUnique(rows.map(([apiName]) => apiName))).toBe(true)
    expect(isUnique(rows.map(([, , { option }]) => option.name))).toBe(true)
    expect(isUnique(rows.flatMap(([, , { field }]) => field?.label ?? []))).toBe(true)
  })

  it.each(rows)('has an initial value of %s that may be stored and sent', (apiName, _, row) => {
    expect(row.stored().parse(row.initial)).toEqual(row.initial)
    const sent = row.toApi === undefined ? row.initial : row.toApi(row.initial)
    expect(row.api().parse(sent)).toEqual(sent)
    expect(row.fromApi === undefined ? sent : row.fromApi(sent)).toEqual(row.initial)
    const founded: Record<string, unknown> = z.strictObject(newSettingsShape()).parse({})
    expect(founded[apiName]).toEqual(sent)
  })

  it('reads what was stored, and the initial value of a setting that was not', () => {
    const stored: unknown = JSON.parse(JSON.stringify({ ...toNamedSettings(DEFAULT_SETTINGS), version: 3 }))
    const whole = { ...DEFAULT_SETTINGS, version: 3 }
    expect(fromNamedSettings(NamedSettingsSchema().parse(stored))).toEqual(whole)
    expect(fromNamedSettings(NamedSettingsSchema().parse({ tier: 'free', version: 3 }))).toEqual(whole)
  })

  it('takes an entry without a tier for no settings', () => {
    expect(NamedSettingsSchema().safeParse({ version: 3 }).success).toBe(false)
  })
})
