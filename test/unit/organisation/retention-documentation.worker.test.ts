// docs/retention.md agrees with the code: the days of each tier, and every table with the time for which it is kept.
import description from '../../../docs/retention.md?raw'
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { COUNTS_RETENTION_DAYS } from '../../../src/evidence/records/facts-commitment.ts'
import { INVITATION_DAYS } from '../../../src/accounts/members/invitation-link.ts'
import { FLOW_MINUTES } from '../../../src/accounts/oauth/oauth-flows.store.ts'
import { SECOND_STEP_MINUTES, SESSION_DAYS } from '../../../src/accounts/access/session-cookie.ts'
import { CHALLENGE_MS } from '../../../src/accounts/second-factor/challenges.ts'
import { TOTP_WAITS_MS } from '../../../src/accounts/second-factor/factors.store.ts'
import { IDLE_MS } from '../../../src/accounts/people/sessions.store.ts'
import { LINK_LIFE_MS } from '../../../src/accounts/sign-in/mail-links.store.ts'
import { MOST_ENDED } from '../../../src/notifications/webhook-messages.store.ts'
import { MAILS_KEPT_MS } from '../../../src/notifications/member-notices.store.ts'
import { NOTICES_KEPT_MS } from '../../../src/notifications/budget-notices.store.ts'
import { EXPORT_KEPT_MS } from '../../../src/organisation/export/exports.store.ts'
import { ANOMALIES_KEPT_DAYS } from '../../../src/organisation/bias/anomaly-watch.ts'
import { CLAIM_MS } from '../../../src/organisation/admit/idempotency.store.ts'
import { RETENTION_DAYS } from '../../../src/organisation/journal/journal.ts'
import { MOST_POLICY_VERSIONS } from '../../../src/policies/organisation-limits.policy.ts'
import { CLOSING_ENTRY_DAYS } from '../../../src/organisation/usage/close-usage-days.ts'
import { DAYS_KEPT, HOURS_KEPT } from '../../../src/organisation/usage/counted-days.store.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/platform/time.ts'
import { LONGEST_TTL_SECONDS } from '../../../src/policies/rules/cache.rule.ts'
import {
  actRetentionDays,
  LONGEST_RETENTION_DAYS,
  rangeText,
  retentionRange,
  tierPlan,
  TIERS,
} from '../../../src/policies/tier.policy.ts'
import { makeTables } from '../../support/unit/tables.ts'

const HOUR_MS = 60 * MINUTE_MS
const ACT_DAYS = actRetentionDays(tierPlan('free'))

/** The cells of each row of the tables below a heading. */
const rowsUnder = (heading: string): string[][] => {
  const [, below = ''] = description.split(`## ${heading}\n`)
  const [section = ''] = below.split('\n## ')
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const sorted = (names: readonly string[]): string[] => names.toSorted((one, other) => (one < other ? -1 : 1))

it('says how long each tier keeps the details of calls', () => {
  expect(rowsUnder('By tier')).toEqual(
    TIERS.map((tier) => [tier, String(tierPlan(tier).retentionDays), rangeText(retentionRange(tier))]),
  )
})

/** By a name in the second column: what the third must say. */
const KEPT: Readonly<Record<string, string>> = {
  usage_days: `${DAYS_KEPT} days`,
  usage_margins: `${DAYS_KEPT} days`,
  usage_cohorts: `${DAYS_KEPT} days`,
  latency_days: `${DAYS_KEPT} days`,
  counted_days: `${DAYS_KEPT} days`,
  anomalies: `${ANOMALIES_KEPT_DAYS} days`,
  usage_hours: `${HOURS_KEPT / 24} days`,
  idempotency_claims: `${CLAIM_MS / DAY_MS} day`,
  cache_entries: `at most ${LONGEST_TTL_SECONDS / 86_400} days`,
  webhook_messages: `of the latest ${MOST_ENDED} how they ended`,
  notice_mails: `${MAILS_KEPT_MS / DAY_MS} days`,
  budget_notices: `${NOTICES_KEPT_MS / DAY_MS} days`,
  policy_versions: `the latest ${MOST_POLICY_VERSIONS}`,
  exports: `${EXPORT_KEPT_MS / HOUR_MS} hour`,
  sessions: `${SESSION_DAYS} days, unused ${IDLE_MS / HOUR_MS} hours`,
  mail_links: `${LINK_LIFE_MS.signup / HOUR_MS} hours, to set a password ${LINK_LIFE_MS.reset / MINUTE_MS} minutes`,
  invitations: `${INVITATION_DAYS} days`,
  oauth_flows: `${FLOW_MINUTES} minutes`,
  totp_secrets: `without its first code ${TOTP_WAITS_MS / MINUTE_MS} minutes`,
  pending_sign_ins: `${SECOND_STEP_MINUTES} minutes`,
  used_challenges: `${CHALLENGE_MS / MINUTE_MS} minutes`,
}

it.each(Object.entries(KEPT))('says how long %s is kept: %s', (name, kept) => {
  const row = rowsUnder('Everything').find(([, where = '']) => where.includes(`\`${name}\``))
  expect(row?.[2]).toContain(kept)
})

it('says how long entries of other kinds are kept', () => {
  const keptOf = (what: string) => rowsUnder('Everything').find(([named = '']) => named.startsWith(what))?.[2]
  expect(keptOf('acts of people, keys and the operator')).toContain(`${ACT_DAYS} days at least`)
  expect(keptOf('compliance reports, and the entry')).toContain(`the entry ${ACT_DAYS} days at least`)
  expect(keptOf('counts of each hour, as entries')).toContain(`${COUNTS_RETENTION_DAYS.toLocaleString('en')} days`)
  expect(COUNTS_RETENTION_DAYS).toBe(LONGEST_RETENTION_DAYS)
  expect(keptOf('referral readings')).toBe(`${RETENTION_DAYS} days`)
  expect(keptOf('the closing entry of each day')).toContain(`${CLOSING_ENTRY_DAYS} days`)
})

it('names every table that anything is kept in, and no other', async () => {
  await makeTables()
  const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('retention documentation'))
  const own = await runInDurableObject(object, (_, { storage: { sql } }) =>
    sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray(),
  )
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
    name: string
  }>()
  const isOurs = ({ name }: { name: string }): boolean => /^[a-z]/.test(name) && !/^(?:sqlite|d1)_/.test(name)
  const named = rowsUnder('Everything').flatMap(([, where = '']) =>
    [...where.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) => name),
  )
  const there = [...own, ...results].filter(isOurs).map(({ name }) => name.replace(/^entries_\d+$/, 'entries'))
  expect(sorted([...new Set(named)])).toEqual(sorted(there))
})
