// Tests that the page /tiers says what the code of tiers enforces: every tier, every feature, every limit.
import { expect, it } from 'vitest'
import { tierHtml } from '../../../scripts/pages/tier-page.ts'
import { changedBy, FEATURES, TIER_GROUPS } from '../../../scripts/pages/tier-rows.ts'
import { formatNumber } from '../../../src/pages/text/format.ts'
import { tierName } from '../../../src/pages/text/id-labels.ts'
import { catalogueModels } from '../../../src/providers/model-catalogue.ts'
import {
  EVERY_FEATURE,
  hasFeature,
  retentionRange,
  tierPlan,
  TIERS,
  type Tier,
} from '../../../src/policies/tier.policy.ts'

const html = tierHtml()

/** The cells of each row of the table, as text, by the row's name. */
const cells = new Map(
  [...html.matchAll(/<tr><th scope="row">(.+?)<\/th>(.+?)<\/tr>/g)].map(([, name = '', row = '']) => [
    name,
    [...row.matchAll(/<td[^>]*>(.+?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]+>/g, ' ').trim()),
  ]),
)
const rowOf = (name: string): readonly string[] => cells.get(name) ?? []

it('has a column and a card for each tier', () => {
  const columns = [...html.matchAll(/<th scope="col"[^>]*><div class="subject">([^<]+)</g)].map(([, name]) => name)
  const cards = [...html.matchAll(/<h2 class="title" id="\w+">(.+?)<\/h2>/g)].map(([, name]) => name)
  expect(columns).toEqual(TIERS.map(tierName))
  expect(cards).toEqual(columns)
  for (const tier of TIERS.slice(1)) expect(html.split(`> for ${tierName(tier)}</span></a>`)).toHaveLength(3)
  expect(html.split('href="/sign-up">Get started<')).toHaveLength(3)
  expect([...cells.values()].filter((row) => row.length !== TIERS.length)).toEqual([])
  expect([...cells.keys()]).toEqual(TIER_GROUPS.flatMap(({ rows }) => rows.map(({ name }) => name)))
})

it('has words for every feature', () => {
  expect(new Set(Object.keys(FEATURES))).toEqual(new Set(EVERY_FEATURE))
})

it.each(EVERY_FEATURE)('says which tiers have %s', (feature) => {
  const { name, as = 'Yes', without = '–No' } = FEATURES[feature]
  const expected = TIERS.map((tier) => (hasFeature(tier, feature) ? as : without))
  expect(rowOf(name).map((cell) => cell.replaceAll(/\s+(?=No$)/g, ''))).toEqual(expected)
})

it('has the rates and the days of each tier', () => {
  for (const [at, tier] of TIERS.entries()) {
    const { requestsPerMinute, requestsPerMonth, retentionDays } = tierPlan(tier)
    expect(rowOf('Calls a minute')[at]).toMatch(new RegExp(`^${formatNumber(requestsPerMinute)}( |$)`))
    expect(rowOf('Calls a month')[at]).toMatch(new RegExp(`^${formatNumber(requestsPerMonth)}( |$)`))
    expect(rowOf('Details kept')[at]).toBe(`${retentionDays} days`)
    const { least, most } = retentionRange(tier)
    expect(rowOf('Days that you may choose instead')[at] !== '–  No').toBe(least < most)
  }
})

it('says in a card only how the tier differs from the one before it, and what it has less of', () => {
  const addedBy = (tier: Tier) => changedBy(tier).map(({ text }) => text)
  expect(addedBy('free')).toContain('5 calls a minute')
  expect(addedBy('starter')).toEqual([
    '100 calls a minute',
    '100,000 calls a month',
    `All ${catalogueModels().filter(({ gateway }) => gateway).length} models`,
    'Details kept for 90 days',
    'Details kept as you choose: 7 to 90 days',
    'Calls that can be listed: all, with filters',
    'Analytics',
  ])
  expect(addedBy('enterprise')).toEqual([
    '1,000 calls a minute, or up to 30,000 if agreed',
    '1,000,000 calls a month, or as agreed',
    'Details kept as you choose: 7 days to 7 years',
  ])
  expect(TIERS.flatMap(changedBy).filter(({ isLess }) => isLess)).toEqual([
    { text: 'No more than 1,000 calls a minute', isLess: true },
  ])
})
