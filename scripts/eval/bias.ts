// npm run eval -- bias: measures how often bias detection is wrong, and how often it finds a real difference. The calls are
// invented, so the truth is known. The report shows each result beside the value that the method was designed for.
import { seededRandom } from '../seeded-random.ts'
import { compareGroups, type Verdict } from '../../src/reports/statistics/compare-groups.ts'
import { sumProportions, rateOf, type Proportion } from '../../src/reports/statistics/proportions.ts'
import {
  findAlarm,
  rateBaselineOf,
  type CountedHour,
  alarmThreshold,
  type RateBaseline,
} from '../../src/reports/statistics/anomalies.ts'
import { plainTable } from '../bench/benchmark-report.ts'

export const BIAS_HELP = `Usage: npm run eval -- bias [options]

Measures how often bias detection finds real and false differences in invented calls.

  --pairs N   pairs of groups per row (default 1000; 4000 in the design)
  --years N   years, or changes of a rate, per row (default 100)
  --seed N    seed of the calls (default 1)

Example:
  npm run eval -- bias --pairs 150

Exit codes: 0 done, 2 not possible.`

type SimulationOptions = { pairs: number; years: number; seed: number }

const DAYS = 28
const DAY_HOURS = 24
const WEEK_HOURS = 7 * DAY_HOURS
const BASELINE_HOURS = DAYS * DAY_HOURS

type PairCase = {
  name: string
  rates: readonly [number, number]
  calls: number
  dispersion: number
  /** The shares that the design expects: verdict disparity, verdict within, bare ratio below 0.8. */
  designed: readonly [string, string, string]
}

const PAIR_CASES: readonly PairCase[] = [
  { name: 'equal, 0.1', rates: [0.1, 0.1], calls: 112, dispersion: 1, designed: ['0.6%', '0', '29%'] },
  { name: 'equal, 0.9', rates: [0.9, 0.9], calls: 504, dispersion: 1, designed: ['0', '0', '0'] },
  { name: 'equal, 0.9', rates: [0.9, 0.9], calls: 2016, dispersion: 1, designed: ['0', '26%', '0'] },
  { name: 'equal, 0.98', rates: [0.98, 0.98], calls: 1008, dispersion: 1, designed: ['0.2%', '0', '0'] },
  { name: 'equal, 0.98', rates: [0.98, 0.98], calls: 10_080, dispersion: 1, designed: ['0', '19%', '0'] },
  { name: 'equal, 0.9', rates: [0.9, 0.9], calls: 2016, dispersion: 3, designed: ['0.2%', '0', '0'] },
  { name: '0.96 and 0.99', rates: [0.96, 0.99], calls: 1008, dispersion: 1, designed: ['95%', '0', '0'] },
  { name: '0.72 and 0.9', rates: [0.72, 0.9], calls: 1008, dispersion: 1, designed: ['100%', '0', '51%'] },
  { name: '0.6 and 0.9', rates: [0.6, 0.9], calls: 112, dispersion: 1, designed: ['99%', '0', '99%'] },
]

function simulatePairs({ rates, calls, dispersion }: PairCase, pairs: number, random: Random) {
  const verdicts: Verdict[] = []
  let bare = 0
  for (let pair = 0; pair < pairs; pair += 1) {
    const drawDays = (rate: number): Proportion[] =>
      Array.from({ length: DAYS }, () => drawCount(random, calls / DAYS, rate, dispersion))
    const [first, second] = [drawDays(rates[0]), drawDays(rates[1])]
    const groups = [
      { group: 'a', days: first },
      { group: 'b', days: second },
    ]
    verdicts.push(compareGroups(groups, { reference: 'b', isFavourable: true }).parity.verdict)
    if (rateOf(sumProportions(first)) / rateOf(sumProportions(second)) < 0.8) bare += 1
  }
  const share = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length / pairs
  return { disparity: share('disparity'), within: share('within'), bare: bare / pairs }
}

function pairsTable({ pairs }: SimulationOptions, random: Random): string {
  const rows = PAIR_CASES.map((one) => {
    const { disparity, within, bare } = simulatePairs(one, pairs, random)
    const found = [disparity, within, bare].map((share, at) => `${percent(share)} (${one.designed[at]})`)
    return [one.name, one.calls.toLocaleString('en'), String(one.dispersion)].concat(found)
  })
  return plainTable([['answered', 'calls each', 'dispersion', 'disparity', 'within', 'bare ratio < 0.8'], ...rows])
}

const USUAL_RATE = 0.02
const CALLS_AN_HOUR = 100
const CALLS_A_YEAR = CALLS_AN_HOUR * DAY_HOURS * 365
const THRESHOLD = alarmThreshold(CALLS_A_YEAR, 1)
/** The number of rates that are watched for one organisation. */
const SERIES = 20

/** Hours of calls whose rate is `times` the usual one from hour `from` on. */
const drawHours = (random: Random, hours: number, dispersion: number, [from, times]: [number, number]): CountedHour[] =>
  Array.from({ length: hours }, (_, hour) => ({
    hour,
    ...drawCount(random, CALLS_AN_HOUR, USUAL_RATE * (hour < from ? 1 : times), dispersion),
  }))

/** Yields each week with the 28 days before it, as the service compares them. */
function* weeksOf(hours: readonly CountedHour[]): Generator<{ usual: RateBaseline; watched: CountedHour[] }> {
  for (let from = BASELINE_HOURS; from < hours.length; from += WEEK_HOURS) {
    const days = Array.from({ length: DAYS }, (_, day) => {
      const first = from - BASELINE_HOURS + day * DAY_HOURS
      return sumProportions(hours.slice(first, first + DAY_HOURS))
    })
    const usual = rateBaselineOf(days)
    if (usual !== null) yield { usual, watched: hours.slice(from, from + WEEK_HOURS) }
  }
}

const YEAR_HOURS = BASELINE_HOURS + 52 * WEEK_HOURS

/** The dispersion that the alarm assumes: measured over 28 days, the true one, or none. */
type AssumedDispersion = 'measured' | 'known' | 'left out'

/** Returns the number of weeks with an alarm, for each year in which nothing changes. */
function quietYears(
  years: number,
  {
    dispersion,
    assumed,
    threshold = THRESHOLD,
  }: { dispersion: number; assumed: AssumedDispersion; threshold?: number },
  random: Random,
): number[] {
  return Array.from({ length: years }, () => {
    const hours = drawHours(random, YEAR_HOURS, dispersion, [Infinity, 1])
    const weeks = weeksOf(hours).map(({ usual, watched }) => {
      const known = { measured: usual.dispersion, known: dispersion, 'left out': 1 }[assumed]
      return findAlarm(watched, { ...usual, dispersion: known }, threshold)
    })
    return weeks.filter((alarm) => alarm !== null).toArray().length
  })
}

/** Returns the mean hours from a rise to its alarm. The rise is at the start of a week, or at any hour of it. */
function detectionHours(runs: number, dispersion: number, times: number, isAnyHour: boolean, random: Random): string {
  const found: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const from = BASELINE_HOURS + (isAnyHour ? Math.floor(random() * WEEK_HOURS) : 0)
    const hours = drawHours(random, BASELINE_HOURS + 3 * WEEK_HOURS, dispersion, [from, times])
    const at = firstAlarmAfter(hours, from)
    if (at !== null) found.push(at + 1 - from)
  }
  const mean = found.reduce((sum, one) => sum + one, 0) / found.length
  const missed = found.length < runs ? `, ${percent(1 - found.length / runs)} not in two weeks` : ''
  return `${mean.toFixed(0)} h${missed}`
}

function firstAlarmAfter(hours: readonly CountedHour[], from: number): number | null {
  for (const { usual, watched } of weeksOf(hours)) {
    for (let until = 1; until <= watched.length; until += 1) {
      const last = watched[until - 1]?.hour ?? 0
      if (last >= from && findAlarm(watched.slice(0, until), usual, THRESHOLD) !== null) return last
    }
  }
  return null
}

function alarmsTable({ years }: SimulationOptions, random: Random): string {
  const quiet = (dispersion: number, assumed: AssumedDispersion): string => {
    const alarms = quietYears(years, { dispersion, assumed }, random)
    return percent(alarms.filter((count) => count > 0).length / years)
  }
  const among = {
    dispersion: 3,
    assumed: 'measured',
    threshold: alarmThreshold(SERIES * CALLS_A_YEAR, SERIES),
  } as const
  const ofMany = quietYears(years, among, random).reduce((sum, count) => sum + count, 0)
  const rises = [
    [3, 2, '52 h'],
    [1, 2, '18 h'],
    [3, 3, '20 h'],
    [1, 3, '7 h'],
  ] as const
  const rows = [
    ['a quiet year alarms, dispersion 3', quiet(3, 'measured'), '2%'],
    ['the same, had the dispersion been known', quiet(3, 'known'), '-'],
    ['the same, dispersion left out', quiet(3, 'left out'), '100%'],
    ['a quiet year alarms, dispersion 1', quiet(1, 'measured'), '-'],
    [
      `alarms a quiet year of ${SERIES} such rates, dispersion 3`,
      ((ofMany * SERIES) / years).toFixed(1),
      'about 1 at most',
    ],
    ...rises.map(([dispersion, times, designed]) => [
      `${times} times the rate from Monday on, dispersion ${dispersion}`,
      detectionHours(years, dispersion, times, false, random),
      designed,
    ]),
    ...rises.map(([dispersion, times]) => [
      `${times} times the rate from any hour on, dispersion ${dispersion}`,
      detectionHours(years, dispersion, times, true, random),
      '-',
    ]),
  ]
  return plainTable([['rate 0.02, 100 calls an hour', 'found', 'designed'], ...rows])
}

const percent = (share: number): string => (share === 0 ? '0' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`)

export function reportBiasSimulation(rounds: SimulationOptions): string {
  const random = seededRandom(rounds.seed)
  const { pairs, years, seed } = rounds
  return [
    `${pairs.toLocaleString('en')} pairs of groups a row, over ${DAYS} days, both sides judged; in brackets what was designed, from 4,000 pairs. Seed ${seed}.`,
    pairsTable(rounds, random),
    '',
    `${years.toLocaleString('en')} years or rises a row, each week against the ${DAYS} days before it, threshold ${THRESHOLD.toFixed(3)}.`,
    alarmsTable(rounds, random),
  ].join('\n')
}

type Random = () => number

/**
 * Draws how many of `n` calls have an outcome of probability `rate`. Calls come in clusters (beta-binomial), so the variance is
 * `dispersion` times that of independent calls.
 */
function drawCount(random: Random, n: number, rate: number, dispersion: number): Proportion {
  const clustered = dispersion <= 1 || n < 2 ? rate : drawRate(random, rate, (dispersion - 1) / (n - 1))
  let k = 0
  for (let call = 0; call < n; call += 1) if (random() < clustered) k += 1
  return { k, n }
}

/** The dispersion of a beta-binomial is 1 + (n − 1)·ρ, where α + β = 1/ρ − 1. */
function drawRate(random: Random, mean: number, correlation: number): number {
  const total = 1 / correlation - 1
  const [one, other] = [drawGamma(random, mean * total), drawGamma(random, (1 - mean) * total)]
  return one + other === 0 ? 0 : one / (one + other)
}

/** Draws from a gamma distribution: Marsaglia and Tsang's method (2000), with their step for shapes below 1. */
function drawGamma(random: Random, shape: number): number {
  if (shape < 1) return drawGamma(random, shape + 1) * (1 - random()) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = drawNormal(random)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

const drawNormal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
