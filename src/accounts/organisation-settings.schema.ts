// Derives the API's schemas of the settings from the settings' table, for an organisation's people and for the operator.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { mailedNameUpTo } from '../platform/names.schema.ts'
import { settingRows } from '../policies/organisation-settings.ts'
import type { AnySetting, ApiName, SettingName, Settings } from '../policies/settings-table.ts'

export const organisationName = once(() => mailedNameUpTo(200).meta({ example: 'Example Clinic' }))

export type SetBy = AnySetting['setBy']

/** The settings that these may set: the operator every one, an organisation its own. */
type NameSetBy<By extends SetBy> = {
  [Name in SettingName]: By extends 'operator' ? Name : Settings[Name]['setBy'] extends By ? Name : never
}[SettingName]

type SettingsShape<By extends SetBy> = {
  [Name in NameSetBy<By> as ApiName<Name>]: ReturnType<Settings[Name]['api']>
}

export type PresentedSettings<By extends SetBy> = z.output<z.ZodObject<SettingsShape<By>>>

/** A change of some settings. */
export type SettingsInput = {
  [Member in keyof PresentedSettings<'operator'>]?: PresentedSettings<'operator'>[Member] | undefined
}

type NewSettingsShape = { [Name in SettingName as ApiName<Name>]: z.ZodDefault<ReturnType<Settings[Name]['api']>> }

/** The rows that these may set, each with its name in the API. */
export const rowsSetBy = (by: SetBy): [apiName: string, name: string, row: AnySetting][] =>
  settingRows()
    .filter(([, { setBy }]) => by === 'operator' || setBy === by)
    .map(([name, row]) => [row.apiName ?? name, name, row])

const shapeOf = (by: SetBy, schemaOf: (row: AnySetting) => z.ZodType): Record<string, z.ZodType> =>
  Object.fromEntries(rowsSetBy(by).map(([apiName, , row]) => [apiName, schemaOf(row)]))

/** The members of a request. Each is one member, so that a change names only what it changes. */
export function requestShape<By extends SetBy>(by: By): SettingsShape<By>
export function requestShape(by: SetBy): object {
  return shapeOf(by, ({ api }) => api())
}

export function responseShape<By extends SetBy>(by: By): SettingsShape<By>
export function responseShape(by: SetBy): object {
  return shapeOf(by, ({ api, shown = api }) => shown())
}

export function newSettingsShape(): NewSettingsShape
export function newSettingsShape(): object {
  return shapeOf('operator', (row) => row.api().default(row.toApi === undefined ? row.initial : row.toApi(row.initial)))
}

const version = once(() => z.int().min(0))

/** The version, which counts changes of any of these members. */
export const versionMember = once(() => ({
  version: version().meta({ description: 'Counts the changes of the organisation’s settings and name.' }),
}))

/** The member of a change's answer with what was allowed and is worth a look. */
const warningsOf = <const Code extends string>(id: string, codes: readonly Code[]) => ({
  warnings: z
    .array(
      z
        .strictObject({
          code: z.enum(codes),
          message: z.string(),
          param: z.string().meta({ description: 'The member of the request that it is about.' }),
        })
        .meta({ id }),
    )
    .meta({ description: 'What the change allows and should not be overlooked. Empty: nothing.' }),
})

const RETENTION_CODE = 'retention_below_six_months'

export const warningsMember = once(() => warningsOf('ChangeWarning', [RETENTION_CODE]))

export const policyWarningsMember = once(() =>
  warningsOf('PolicyWarning', [RETENTION_CODE, 'rule_removed', 'rule_loosened']),
)

type WarningsOf<Member extends () => z.ZodRawShape & { warnings: z.ZodType }> = z.output<ReturnType<Member>['warnings']>

export type ChangeWarnings = WarningsOf<typeof warningsMember>
export type PolicyWarnings = WarningsOf<typeof policyWarningsMember>

export const ifVersionMember = once(() => ({
  if_version: version().optional().meta({
    description: 'The change is made only where this is the version in force; otherwise it is refused: 409 conflict.',
  }),
}))
