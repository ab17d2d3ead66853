// When a retention below six months is warned about, and when it is refused.
import { describe, expect, it } from 'vitest'
import {
  decideHighRiskUseCases,
  decideRetention,
  retentionWarningText,
  SIX_MONTHS_DAYS,
} from '../../../src/policies/log-retention.policy.ts'
import type { PlanChoices, Tier } from '../../../src/policies/tier.policy.ts'
import { DAY_MS } from '../../../src/platform/time.ts'

/** Returns the days from a day to the same day six months later, or to the last day of that month. */
function daysOfSixMonths(start: Date): number {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth()]
  const lastOfMonth = new Date(Date.UTC(year, month + 7, 0)).getUTCDate()
  const end = Date.UTC(year, month + 6, Math.min(start.getUTCDate(), lastOfMonth))
  return (end - start.getTime()) / DAY_MS
}

it('counts the longest six months, and the day of the event', () => {
  const fourYears = Array.from({ length: 4 * 366 }, (_, day) => daysOfSixMonths(new Date(Date.UTC(2024, 0, 1 + day))))
  expect(SIX_MONTHS_DAYS).toBe(Math.max(...fourYears) + 1)
})

const plan = (tier: Tier, retentionDays: number | null): PlanChoices => ({
  tier,
  retentionDays,
  requestsPerMinute: null,
  requestsPerMonth: null,
})

const HIGH_RISK = ['triage']

describe('a retention', () => {
  const decide = (before: PlanChoices, after: PlanChoices, highRisk: readonly string[] = [], setsRetention = true) =>
    decideRetention({ before, after, setsRetention }, highRisk)

  it.each([
    ['one day too short, with high-risk use cases', plan('pro', null), plan('pro', 184), 185],
    ['too short as before', plan('pro', 100), plan('pro', 100), 185],
    ['shortened where the tier cannot store for six months', plan('starter', null), plan('starter', 30), 90],
  ])('is refused: %s', (_, before, after, least) => {
    expect(decide(before, after, HIGH_RISK)).toMatchObject({ outcome: 'refused', least })
  })

  it.each([
    ['without high-risk use cases', plan('pro', null), plan('pro', 184), [], true, false],
    [
      'raised where the tier cannot store for six months',
      plan('starter', 30),
      plan('starter', 60),
      HIGH_RISK,
      true,
      true,
    ],
    ['by a change of the tier', plan('pro', null), plan('free', null), HIGH_RISK, true, true],
    ['by the same tier again', plan('pro', 100), plan('pro', 100), HIGH_RISK, false, true],
  ])('is warned about: %s', (_, before, after, highRisk, setsRetention, isHighRisk) => {
    expect(decide(before, after, highRisk, setsRetention)).toMatchObject({
      outcome: 'allowed',
      warnings: [{ isHighRisk }],
    })
  })

  it('of 185 days passes silently', () => {
    expect(decide(plan('pro', null), plan('pro', 185), HIGH_RISK)).toEqual({ outcome: 'allowed', warnings: [] })
  })
})

describe('high-risk use cases', () => {
  it('are refused where the tier could store details for six months and does not', () => {
    expect(decideHighRiskUseCases(plan('pro', 184), HIGH_RISK, ['letters'])).toMatchObject({ outcome: 'refused' })
  })

  it.each([
    [
      'new, where the tier cannot store them for so long',
      plan('starter', null),
      HIGH_RISK,
      [],
      [{ retentionDays: 90 }],
    ],
    ['declared before', plan('pro', 184), HIGH_RISK, HIGH_RISK, [{ retentionDays: 184 }]],
    ['with logs of six months', plan('pro', 185), HIGH_RISK, [], []],
    ['taken out', plan('pro', 7), [], HIGH_RISK, []],
  ])('are allowed: %s', (_, settings, wanted, before, warnings) => {
    expect(decideHighRiskUseCases(settings, wanted, before)).toMatchObject({ outcome: 'allowed', warnings })
  })
})

it('says the days, the articles and high-risk use cases', () => {
  const texts = [true, false].map((isHighRisk) => retentionWarningText({ retentionDays: 90, isHighRisk }))
  for (const text of texts) expect(text).toMatch(/stored for 90 days\. AI Act 19\(1\) and 26\(6\), .* 185 days\.$/)
  expect(texts.map((text) => text.includes('declares high-risk use cases'))).toEqual([true, false])
})
