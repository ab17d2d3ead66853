// Invents the demo organisation's calls of a day, in the order of their times. They are the same in every run.
import { DAY_MS } from '../../../../src/platform/time.ts'
import type { KeyName, FillYearRequest } from '../fill-year-protocol.ts'
import { createRandom, type Random } from '../../../seeded-random.ts'
import {
  COHORTS,
  codes,
  dischargeLetter,
  patientQuestion,
  reminder,
  triageNote,
  type Cohort,
  type Prompt,
} from './invented-hospital.ts'

export type InventedCall = {
  at: number
  key: KeyName
  useCase: string | null
  cohort: Cohort | null
  /** The body as sent. */
  body: Prompt & { model: string; stream?: true }
  ending: InventedEnding
}

/** How the provider answers. A lost call never gets an answer. */
export type InventedEnding = {
  ended: 'completed' | 'failed' | 'cancelled' | 'lost'
  ms: number
  inputTokens: number
  outputTokens: number
  finishReason: string | null
  errorCause: string | null
  estimated: boolean
}

/** A day of the year. `index`: days since the first one. `left`: days until the last. `part`: the share of the year before it. */
type Day = { at: number; index: number; left: number; part: number }

type Workload = {
  useCase: string
  key: KeyName
  /** The share of all calls. */
  share: number
  /** The share of the usual calls that come on a weekend day. */
  atWeekends: number
  model: (day: Day) => string
  write: (random: Random, cohort: Cohort) => Prompt
  isStream?: true
  hasCohorts?: true
  tokens: { input: number; output: number }
  ms: number
}

const COHORT_WEIGHTS = COHORTS.map((cohort, at) => [cohort, [55, 8, 24, 13][at] ?? 0] as const)

/** The cohort whose form asks for a number that the policy blocks. */
const COHORT_WITH_WRONG_FORM: Cohort = 'lang-pl'

const WORKLOADS: readonly Workload[] = [
  {
    useCase: 'triage-notes',
    key: 'triage',
    share: 0.34,
    atWeekends: 0.8,
    model: ({ part }) => (part < 0.6 ? 'gpt-4.1-mini' : 'gpt-5.6-luna'),
    write: (random) => triageNote(random, { isAttack: random.happens(0.004) }),
    tokens: { input: 900, output: 240 },
    ms: 1_400,
  },
  {
    useCase: 'patient-replies',
    key: 'portal',
    share: 0.32,
    atWeekends: 0.6,
    model: () => 'claude-haiku-4-5',
    write: (random, cohort) =>
      patientQuestion(random, cohort, random.happens(cohort === COHORT_WITH_WRONG_FORM ? 0.2 : 0.03)),
    isStream: true,
    hasCohorts: true,
    tokens: { input: 700, output: 180 },
    ms: 2_100,
  },
  {
    useCase: 'appointment-texts',
    key: 'portal',
    share: 0.14,
    atWeekends: 0.1,
    model: () => 'gemini-3.5-flash-lite',
    write: reminder,
    tokens: { input: 300, output: 60 },
    ms: 700,
  },
  {
    useCase: 'coding-support',
    key: 'coding',
    share: 0.12,
    atWeekends: 0.05,
    model: ({ part }) => (part < 0.6 ? 'gpt-4.1-mini' : 'gpt-5.6-luna'),
    write: codes,
    tokens: { input: 1_900, output: 260 },
    ms: 1_900,
  },
  {
    useCase: 'discharge-letters',
    key: 'letters',
    share: 0.08,
    atWeekends: 0.3,
    model: () => 'claude-sonnet-5',
    write: dischargeLetter,
    tokens: { input: 4_200, output: 900 },
    ms: 9_000,
  },
]

const HOUR_MS = 3_600_000

/** The weight of each hour of the day, in UTC. */
const HOURS = Array.from({ length: 24 }, (_, hour) => [hour, hour < 6 ? 1 : hour < 8 ? 4 : hour < 18 ? 12 : 3] as const)

export function callsOfDay({ begins, days, callsADay }: FillYearRequest, index: number): InventedCall[] {
  const day = { at: begins + index * DAY_MS, index, left: days - 1 - index, part: index / days }
  const random = createRandom(20_261_121 + index)
  const calls = WORKLOADS.flatMap((work) =>
    Array.from({ length: countOf(work, day, callsADay, random) }, () => inventCall(work, day, random)),
  )
  return [...calls, ...oddCalls(day, random)].toSorted((a, b) => a.at - b.at)
}

/** Returns the number of calls. They grow from month to month and drop at weekends. */
function countOf({ share, atWeekends }: Workload, { at, part }: Day, callsADay: number, random: Random): number {
  const weekday = new Date(at).getUTCDay()
  const weekdayFactor = weekday === 0 || weekday === 6 ? atWeekends : 1 + (1 - atWeekends) * 0.4
  const expected = share * callsADay * (0.6 + 0.8 * part) * weekdayFactor * (0.85 + 0.3 * random.next())
  return Math.floor(expected) + (random.happens(expected % 1) ? 1 : 0)
}

function inventCall(work: Workload, day: Day, random: Random): InventedCall {
  const cohort = random.weigh(COHORT_WEIGHTS)
  const model = work.model(day)
  const body = { model, ...work.write(random, cohort), ...(work.isStream && { stream: true as const }) }
  return {
    at: day.at + random.weigh(HOURS) * HOUR_MS + random.between(0, HOUR_MS - 1),
    key: work.key,
    useCase: work.useCase,
    cohort: work.hasCohorts ? cohort : null,
    body,
    ending: inventEnding(work, model, day, random),
  }
}

function inventEnding({ tokens, ms, isStream }: Workload, model: string, day: Day, random: Random): InventedEnding {
  const said = { finishReason: 'stop', errorCause: null, estimated: random.happens(0.008) }
  const usage = {
    ms: random.spread(ms),
    inputTokens: random.spread(tokens.input),
    outputTokens: random.spread(tokens.output),
  }
  if (random.happens(failingPart(model, day))) return failed(random)
  if (random.happens(0.0006)) return { ...said, ...usage, ended: 'lost' }
  if (isStream && random.happens(0.02)) {
    return { ...usage, ended: 'cancelled', finishReason: null, errorCause: 'caller', estimated: true }
  }
  if (random.happens(0.006))
    return { ...said, ...usage, outputTokens: 4, ended: 'completed', finishReason: 'content_filter' }
  return { ...said, ...usage, ended: 'completed', finishReason: random.happens(0.01) ? 'length' : 'stop' }
}

/** Returns the share of failing calls. One model has bad days in spring, another in the second week before the end. */
function failingPart(model: string, { left }: Day): number {
  if (model === 'claude-haiku-4-5' && left >= 200 && left <= 202) return 0.3
  if (model === 'gpt-5.6-luna' && left >= 3 && left <= 9) return 0.25
  return 0.012
}

function failed(random: Random): InventedEnding {
  const errorCause = random.choose(['status', 'overloaded', 'no_headers'])
  const ms = errorCause === 'no_headers' ? 60_000 : random.spread(900)
  return { ended: 'failed', ms, inputTokens: 0, outputTokens: 0, finishReason: null, errorCause, estimated: false }
}

/** Returns odd calls: a script's loop, a model that the policy does not name, a missing use case, and a batch. */
function oddCalls(day: Day, random: Random): InventedCall[] {
  const coding = WORKLOADS.find(({ key }) => key === 'coding')
  if (coding === undefined) return []
  const calls: InventedCall[] = []
  if (random.happens(0.05)) {
    const first = inventCall(coding, day, random)
    calls.push(...Array.from({ length: random.between(9, 24) }, (_, n) => ({ ...first, at: first.at + n * 2_500 })))
  }
  if (random.happens(0.2)) {
    const { body, ...call } = inventCall(coding, day, random)
    calls.push({ ...call, body: { ...body, model: 'gpt-5.6-sol' } })
  }
  if (random.happens(0.15)) calls.push({ ...inventCall(coding, day, random), useCase: null })
  if (day.left === DAY_OF_BATCH) {
    const batch = Array.from({ length: 400 }, () =>
      inventCall({ ...coding, model: () => 'claude-sonnet-5' }, day, random),
    )
    calls.push(...batch)
  }
  return calls
}

/** The day of the batch, counted from the last. An expensive model uses up that day's budget. */
const DAY_OF_BATCH = 41
