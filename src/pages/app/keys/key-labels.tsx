// Describes API keys in words, and decides which buttons of a key a person gets.
import { SHORT_REGION_CHOICES } from '../../../platform/data-region.ts'
import type { Infer } from '../../../platform/once.ts'
import type {
  CreatedKeySchema,
  Key,
  KeyWithMadeSchema,
  RevokedKeySchema,
  RotatedKeySchema,
} from '../../../keys/key.schema.ts'
import type { Tone } from '../../parts/drawn.ts'
import { Badge } from '../../parts/badge.view.tsx'
import { Note } from '../../parts/layout.view.tsx'
import { Meter } from '../../parts/tile.view.tsx'
import { formatDay, formatEuro, formatNumber, formatPercent, plural } from '../../text/format.ts'
import { hasPermission, session } from '../session.ts'
import { DAY_MS, dayFromToday } from '../../text/day.ts'

export type CreatedKey = Infer<typeof CreatedKeySchema>
export type KeyWithMade = Infer<typeof KeyWithMadeSchema>
export type RotatedKey = Infer<typeof RotatedKeySchema>
export type RevokedKey = Infer<typeof RevokedKeySchema>

const SCOPE_WORDS: Readonly<Record<Key['scopes'][number], string>> = {
  chat: 'Call models',
  manage: 'Management',
  'referral:read': 'Read referrals',
  'waiting-lists:read': 'Look up waiting lists',
}

export const scopesOf = ({ scopes }: Pick<Key, 'scopes'>): string =>
  scopes.map((scope) => SCOPE_WORDS[scope]).join(', ')

export const callsModels = ({ scopes }: Pick<Key, 'scopes'>): boolean => scopes.includes('chat')

/** Returns the only part of a key that is shown after its creation. */
export const maskedKey = ({ prefix, last_four: lastFour }: Key): string => `${prefix}…${lastFour}`

const MOST_NAMES = 20

export function namesOf(keys: readonly Key[]): string {
  const names = keys.slice(0, MOST_NAMES).map(({ name, last_four: lastFour }) => `${name} (…${lastFour})`)
  const rest = keys.length - names.length
  return names.join(', ') + (rest > 0 ? ` and ${formatNumber(rest)} more` : '')
}

export function describeRevoked({ name, also_revoked: others }: RevokedKey): string {
  const said = `${name} is revoked: it is refused from its next request on.`
  return others.length === 0 ? said : `${said} So are ${plural(others.length, 'key')} that it made: ${namesOf(others)}.`
}

/** Returns a sentence about the keys that a key made, or '' if there are none. */
export function describeMade(made: readonly Key[]): string {
  if (made.length === 0) return ''
  const state = made.every(({ status }) => status === 'revoked') ? 'revoked' : 'still at work'
  return `${plural(made.length, 'key')} that it made ${state}: ${namesOf(made)}.`
}

export const isGatewayKey = ({ prefix }: Key): boolean => !prefix.startsWith('vk_')

export function KeyStatusBadge({ of }: { of: Key }) {
  const [words, tone] = statusOf(of)
  return <Badge tone={tone}>{words}</Badge>
}

function statusOf({ status, replaced_by: next }: Key): readonly [words: string, tone?: Tone] {
  if (status === 'revoked') return ['Revoked', 'bad']
  if (status === 'expired') return [next === null ? 'Expired' : 'Replaced']
  return next === null ? ['In force'] : ['Being replaced', 'warn']
}

/** How much of the key's budget for the month is used, in words and as a bar. One of nothing is used up. */
export function BudgetUse({ cost, budget }: { cost: number; budget: number | null }) {
  if (budget === null) return null
  const share = budget === 0 ? 1 : cost / budget
  return (
    <>
      <Note>
        {formatPercent(Math.round(share * 100) / 100)} of {formatEuro(budget)}
      </Note>
      <Meter share={share} />
    </>
  )
}

export const mayRevokeKey = (key: Key): boolean =>
  hasPermission('keys:all') || (hasPermission('keys:own') && key.created_by === session().user.id)

/** True if this person may rename the key, replace it, or set its limits. */
export const mayChangeKey = (key: Key): boolean =>
  isGatewayKey(key) &&
  key.status === 'active' &&
  mayRevokeKey(key) &&
  (!key.scopes.includes('manage') || hasPermission('keys:all'))

/** The key's own limits in words, or '' if it has none. */
export const limitsOf = ({ requests_per_minute: minute, requests_per_day: day }: Key): string =>
  [minute !== null && `${formatNumber(minute)} a minute`, day !== null && `${formatNumber(day)} a day`]
    .filter(Boolean)
    .join(', ')

/** The choices of a key's data region, in the words of a form. */
export const REGION_CHOICES = [['', 'The organisation’s rule'], ...SHORT_REGION_CHOICES] as const

export const regionOf = ({ data_region: region }: Pick<Key, 'data_region'>): string =>
  REGION_CHOICES.find(([choice]) => choice === (region ?? ''))?.[1] ?? ''

/** The region that limits the key in words, or '' if it has none of its own. */
export const regionLimitOf = (key: Pick<Key, 'data_region'>): string =>
  key.data_region === null || key.data_region === 'any' ? '' : `${regionOf(key)} only`

export const daysBetween = (from: number, to: number): number => Math.floor((to - from) / DAY_MS)

export const dayOf = (at: string): string => formatDay(at.slice(0, 'YYYY-MM-DD'.length))

/** The UTC time of a day, to the minute: what a key's last use is known to. */
export const timeOf = (at: string): string => at.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length)

export const isToday = (at: string): boolean => at.slice(0, 10) === dayFromToday(0)

const SOON_DAYS = 30
const UNUSED_DAYS = 90

/** The days until the key ends, if it ends soon; else null. A key that was made for a few days, or is replaced, ends as meant. */
export function daysLeft({ status, created_at: made, expires_at: end, replaced_by: next }: Key): number | null {
  if (status !== 'active' || end === null || next !== null) return null
  const isMeant = daysBetween(Date.parse(made), Date.parse(end)) <= SOON_DAYS
  const days = daysBetween(Date.now(), Date.parse(end))
  return days <= SOON_DAYS && !isMeant ? days : null
}

/** The days since the key was made or used, if it is long unused; else null. The compliance check K2 goes by the same days. */
export function daysUnused({ status, created_at: made, last_used_at: used }: Key): number | null {
  const days = daysBetween(Date.parse(used ?? made), Date.now())
  return status === 'active' && days >= UNUSED_DAYS ? days : null
}

/** The keys for which there is such a count of days, each with it. */
export const withDays = (keys: readonly Key[], daysOf: (key: Key) => number | null) =>
  keys.flatMap((key) => {
    const days = daysOf(key)
    return days === null ? [] : [{ key, days }]
  })

export const endsIn = (days: number): string => (days === 0 ? 'within a day' : `in ${plural(days, 'day')}`)
