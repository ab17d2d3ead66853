// How often fair groups are called different and quiet weeks alarm, and how long a risen rate goes untold: simulated, with a seed.
// docs/compare-groups.md publishes the figures.
import { OVERLAP_DAYS, THRESHOLD_FACTOR } from '../../../../src/organisation/bias/find-anomalies.ts'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { seededRandom } from '../../../../scripts/seeded-random.ts'
import { alarmThreshold, CHANGES, findAlarm, rateBaselineOf } from '../../../../src/reports/statistics/anomalies.ts'
import { compareGroups } from '../../../../src/reports/statistics/compare-groups.ts'
import { sumProportions, type Proportion } from '../../../../src/reports/statistics/proportions.ts'

const DAYS = 28
const HOURS = 24

/** Calls in clusters that end alike. Jumps from one outcome to the next. */
function count(n: number, rate: number, cluster: number, random: () => number): Proportion {
  const clusters = Math.round(n / cluster)
  if (rate >= 1) return { k: n, n }
  let k = 0
  for (let at = skip(rate, random); at <= clusters; at += skip(rate, random)) k += cluster
  return { k: Math.min(n, k), n }
}

const skip = (rate: number, random: () => number): number => Math.floor(Math.log(1 - random()) / Math.log(1 - rate)) + 1

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Infinity

const FAIR = [
  ['only the smaller group', 6, 1],
  ['only the larger group', 1, 6],
  ['both groups', 6, 6],
  ['neither group', 1, 1],
] as const

it.each(FAIR)('at most 2% of fair pairs differ where %s is clustered', (_, smaller, larger) => {
  const random = seededRandom(20_261_126)
  for (const [days, refused] of [
    [7, 0.1],
    [28, 0.02],
    [28, 0.1],
    [90, 0.02],
  ] as const) {
    let differ = 0
    const runs = 400
    for (let run = 0; run < runs; run += 1) {
      const group = (name: string, calls: number, cluster: number) => {
        const counted = Array.from({ length: days }, () => count(Math.round(calls / days), refused, cluster, random))
        return { group: name, days: counted, strata: [{ use_case: 'u', model: 'm', ...sumProportions(counted) }] }
      }
      const groups = [group('smaller', 504, smaller), group('larger', 2016, larger)]
      const { parity } = compareGroups(groups, { reference: null, isFavourable: false, mix: ['use_case', 'model'] })
      if (parity.verdict === 'disparity') differ += 1
    }
    expect(differ / runs, `${days} days, ${refused}`).toBeLessThanOrEqual(0.02)
  }
})

/** Four kinds of rates, of all calls and of one key, model and use case. */
const RATES = 16
const USUAL = 0.02

/** Returns the hours of a week and its overlap, after 28 usual days, until the alarm. Infinite if there is none. */
function hoursUntilAlarm(callsADay: number, times: number, cluster: number, random: () => number): number {
  const before = Array.from({ length: DAYS }, () => count(callsADay, USUAL, cluster, random))
  const baseline = rateBaselineOf(before)
  if (baseline === null) return Infinity
  const hours = Array.from({ length: (7 + OVERLAP_DAYS) * HOURS }, (_, hour) => {
    const n = Math.floor((callsADay * (hour + 1)) / HOURS) - Math.floor((callsADay * hour) / HOURS)
    return { hour, ...count(n, USUAL * times, cluster, random) }
  })
  const threshold = alarmThreshold(callsADay * 365 * THRESHOLD_FACTOR, RATES * CHANGES.length)
  const alarm = findAlarm(hours, baseline, threshold)
  return alarm === null ? Infinity : alarm.at + 1
}

it('the delays of alarms are those that the guide has', () => {
  const random = seededRandom(20_261_126)
  const textOf = (hours: number): string =>
    hours === Infinity ? 'not found' : hours <= 48 ? `${hours} h` : `${Math.ceil(hours / HOURS)} days`
  const rows = [50, 85, 100, 1000].map((calls) => {
    const delays = [2, 3, 8, 1 / USUAL].map((times) =>
      textOf(median(Array.from({ length: 301 }, () => hoursUntilAlarm(calls, times, 1, random)))),
    )
    return [[calls.toLocaleString('en-IE')], delays].flat()
  })
  const guide = readFileSync('docs/compare-groups.md', 'utf8').split('\n')
  const shown = guide.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  for (const row of rows) expect(shown).toContainEqual(row)
})

it('at most 2% of quiet years alarm where calls come in clusters of three', () => {
  const random = seededRandom(20_261_126)
  const [years, weeks] = [400, 52]
  let alarming = 0
  for (let year = 0; year < years; year += 1) {
    let isQuiet = true
    for (let week = 0; week < weeks && isQuiet; week += 1) isQuiet = hoursUntilAlarm(2400, 1, 3, random) === Infinity
    if (!isQuiet) alarming += 1
  }
  expect(alarming / years).toBeLessThanOrEqual(0.02)
})
