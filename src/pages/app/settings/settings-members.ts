// The settings one by one: the part that has each, its label and its value in words. Edits are the values that a person has changed
// and not saved.
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import { providerLabel } from '../../../providers/provider-registry.ts'
import { tierPlan } from '../../../policies/tier.policy.ts'
import { formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { formatUnits, TIME_UNITS } from '../../text/units.ts'
import type { PartId } from './parts.ts'

export type Member = Exclude<keyof UpdateSettings, 'cache_ttl_seconds' | 'if_version'>

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

const onOrOff = (isOn: boolean): string => (isOn ? 'On' : 'Off')

const counted = (value: number | null, one: string): string => (value === null ? 'Empty' : plural(value, one))

const during = (seconds: number | null): string => (seconds === null ? 'Empty' : formatUnits(seconds, TIME_UNITS))

export const MEMBERS: Readonly<Record<Member, Description>> = {
  name: { part: 'organisation', label: 'Name', words: ({ name }) => name },
  enabled_providers: {
    part: 'providers',
    label: 'Providers',
    words: ({ enabled_providers: ids }) => (ids.length === 0 ? 'None' : listed(ids.map(providerLabel))),
  },
  monthly_budget_eur: {
    part: 'limits',
    label: 'Monthly budget',
    words: ({ monthly_budget_eur: budget }) => (budget === null ? 'No budget' : formatExactEuro(budget)),
  },
  default_max_tokens: {
    part: 'limits',
    label: 'Default max output tokens',
    words: ({ default_max_tokens: tokens }) => (tokens === null ? 'Empty' : formatNumber(tokens)),
  },
  loop_repeats: {
    part: 'loops',
    label: 'Same request',
    words: ({ loop_repeats: times }) => counted(times, 'time'),
  },
  loop_window_seconds: {
    part: 'loops',
    label: 'Same request within',
    words: ({ loop_window_seconds: seconds }) => during(seconds),
  },
  loop_cycle_rounds: {
    part: 'loops',
    label: 'Requests in turn',
    words: ({ loop_cycle_rounds: rounds }) => counted(rounds, 'round'),
  },
  loop_cycle_window_seconds: {
    part: 'loops',
    label: 'Requests in turn within',
    words: ({ loop_cycle_window_seconds: seconds }) => during(seconds),
  },
  idempotent_replays: {
    part: 'repeats',
    label: 'First answer again',
    words: ({ idempotent_replays: isOn }) => onOrOff(isOn),
  },
  cache_instructions: {
    part: 'repeats',
    label: 'Long instructions kept by providers',
    words: ({ cache_instructions: isOn }) => onOrOff(isOn),
  },
  unsupported: {
    part: 'repeats',
    label: 'Parameters that a model does not take',
    words: ({ unsupported }) => (unsupported === 'refuse' ? 'Refused' : 'Left out, and named in the answer'),
  },
  retention_days: {
    part: 'retention',
    label: 'Keep details for',
    words: ({ retention_days: days, tier }) =>
      days === null ? `${plural(tierPlan(tier).retentionDays, 'day')}, as the tier gives` : plural(days, 'day'),
  },
  content_logging: {
    part: 'content',
    label: 'Prompts and answers',
    words: ({ content_logging: kept }) =>
      kept === null ? 'Not kept' : `Kept for ${plural(kept.retention_days, 'day')}`,
  },
}

export const isMember = (name: string): name is Member => Object.hasOwn(MEMBERS, name)

const NAMES = Object.keys(MEMBERS).filter(isMember)

export const membersOf = (part: PartId): readonly Member[] => NAMES.filter((name) => MEMBERS[name].part === part)

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
