// The pages of the settings and their parts, and the settings one by one: the part that has each, its label and its value in words. An
// address names a page, or a part, which takes the focus there. Edits are the values that a person has changed and not saved.
import SCHEMA from 'virtual:form-schema/settings'
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import type { SettingField } from '../../../policies/settings-table.ts'
import { retentionRange, tierPlan } from '../../../policies/tier.policy.ts'
import { namesOf } from '../../parts/form-values.ts'
import { formatDay, formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { formatUnits, TIME_UNITS } from '../../text/units.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { changeUrlParameters, replaceUrl, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { inOrganisation } from '../session.ts'

/** The names of the parts, in the order of the pages. */
export const PARTS = {
  organisation: 'Organisation',
  'second-factor': 'Second factor',
  erasure: 'Erasure',
  providers: 'Providers',
  limits: 'Budget and limits',
  loops: 'Loops',
  repeats: 'Repeated calls',
  retention: 'Retention',
  content: 'Content',
  webhook: 'Webhook',
} as const

export type PartId = keyof typeof PARTS

export const PART_IDS = namesOf(PARTS)

type SettingsPage = { name: string; parts: readonly PartId[] }

/** The pages, in the order of the list. One with the id of a part begins with it. */
export const PAGES = {
  organisation: { name: 'Organisation', parts: ['organisation', 'second-factor', 'erasure'] },
  calls: { name: 'Calls', parts: ['providers', 'limits', 'loops', 'repeats'] },
  data: { name: 'Data', parts: ['retention', 'content'] },
  webhook: { name: 'Webhook', parts: ['webhook'] },
} as const satisfies Readonly<Record<string, SettingsPage>>

export type PageId = keyof typeof PAGES

export const PAGE_IDS = namesOf(PAGES)

const hasPart = (page: PageId, named: string | null): boolean => PAGES[page].parts.some((id) => id === named)

export const pageOf = (part: PartId): PageId => PAGE_IDS.find((id) => hasPart(id, part)) ?? 'organisation'

/** Returns the page that the address names, and the part of it that is not the first. */
export function useNamed(): { page: PageId; part: PartId | null } {
  const [parameters] = useUrlParameters()
  const named = parameters.get('part')
  const page = PAGE_IDS.find((id) => id === named || hasPart(id, named)) ?? 'organisation'
  return { page, part: PAGES[page].parts.slice(1).find((id) => id === named) ?? null }
}

export const pathOfPart = (id: PartId): string => inOrganisation(`/app/settings?part=${id}`)

export const showPage = (id: PageId): void => changeUrlParameters({ part: id })

/** The id of a part's element. The frame has an `organisation` of its own. */
export const elementOf = (id: PartId): string => `settings-${id}`

export const focusPart = (id: PartId): void => document.getElementById(elementOf(id))?.focus()

/** Documents and bookmarks name a part by the hash: the address has it as a parameter from then on. */
export function readHash(): void {
  const named = PART_IDS.find((id) => `#${id}` === location.hash)
  if (named === undefined) return
  const url = new URL(location.href)
  url.hash = ''
  url.searchParams.set('part', named)
  replaceUrl(url)
}

export type Member = Exclude<keyof UpdateSettings, 'if_version'>

type Empty<T> = T extends number ? T | null : T

/** The settings with somebody’s edits. A number whose field is empty is null: the service says whether it may be. */
export type Values = Omit<Settings, Member> & { [Name in Member]: Empty<Settings[Name]> }

export type Edits = Partial<Pick<Values, Member>>

type Description = {
  part: PartId
  label: string
  /** The value in words. */
  words: (values: Values) => string
}

const NAME: Description = { part: 'organisation', label: 'Name', words: ({ name }) => name }

/** The words of the settings whose rows cannot give them. */
const WORDS: { readonly [Name in Member]?: Description['words'] } = {
  enabled_providers: ({ enabled_providers: ids }) => (ids.length === 0 ? 'None' : listed(ids.map(providerLabel))),
  retention_days: ({ retention_days: days, tier }) =>
    days === null ? `${plural(tierPlan(tier).retentionDays, 'day')}, as the tier gives` : plural(days, 'day'),
  content_logging: ({ content_logging: kept }) =>
    kept === null ? 'Not kept' : `Kept for ${plural(kept.retention_days, 'day')}`,
}

/** Each setting that the page shows, from its row in the settings' table. */
export const MEMBERS = describeMembers()

function describeMembers(): Readonly<Record<Member, Description>>
function describeMembers(): Readonly<Record<string, Description>> {
  const words = new Map(Object.entries(WORDS))
  const settings = Object.entries(SCHEMA).flatMap(([name, { field }]): [string, Description][] =>
    field === null ? [] : [[name, { ...field, words: words.get(name) ?? wordsFrom(name, field) }]],
  )
  return { name: NAME, ...Object.fromEntries(settings) }
}

function wordsFrom(name: string, { unit, none = 'Empty', choices }: SettingField): Description['words'] {
  return (values) => {
    const value: unknown = Reflect.get(values, name)
    if (typeof value === 'boolean') return value ? 'On' : 'Off'
    if (typeof value === 'string') return unit === 'date' ? formatDay(value.slice(0, 10)) : (choices?.[value] ?? value)
    return typeof value === 'number' ? formatAmount(value, unit) : none
  }
}

function formatAmount(value: number, unit: SettingField['unit']): string {
  if (unit === 'euro') return formatExactEuro(value)
  if (unit === 'second') return formatUnits(value, TIME_UNITS)
  return unit === undefined ? formatNumber(value) : plural(value, unit)
}

/** The days that a tier lets people choose from: “30 to 365 days”. */
export function retentionWords(tier: Settings['tier']): string {
  const { least, most } = retentionRange(tier)
  return least === most ? plural(least, 'day') : `${formatNumber(least)} to ${plural(most, 'day')}`
}

export const isMember = (name: string): name is Member => Object.hasOwn(MEMBERS, name)

export const membersOf = (part: PartId): readonly Member[] =>
  namesOf(MEMBERS).filter((name) => MEMBERS[name].part === part)

/** Members whose values mean something: the day of a second factor that nobody requires does not. */
export const membersShown = (part: PartId, { second_factor }: Values): readonly Member[] =>
  membersOf(part).filter((name) => name !== 'second_factor_from' || second_factor !== 'off')

/** All settings, in the order of the parts. */
const NAMES = PART_IDS.flatMap(membersOf)

/** Returns the members whose edits differ from these settings, in the order of the parts. */
export const changesIn = (settings: Values, edits: Edits): readonly Member[] =>
  NAMES.filter((name) => name in edits && textOf(edits[name]) !== textOf(settings[name]))

/** Returns those of the edits that differ from these settings. */
export function differing(settings: Values, edits: Edits): Edits {
  const changed = changesIn(settings, edits)
  return Object.fromEntries(Object.entries(edits).filter(([name]) => isMember(name) && changed.includes(name)))
}

/** Makes a value comparable. The order of providers has no meaning, and no other member is a list. */
export const textOf = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted() : value)
