// Draws the demo organisation's calls of a day from the tables (year-table.ts), in the order of their times. They are the same in
// every run.
import { DAY_MS } from '../../../../src/platform/time.ts'
import type { KeyName, FillYearRequest } from '../fill-year-protocol.ts'
import { createRandom, type Random } from '../../../seeded-random.ts'
import {
  BAD_DAYS,
  BATCH,
  CODING,
  COHORTS,
  HOURS,
  MODELS_CHANGE_AFTER,
  sizeOf,
  TOPICS,
  USUAL_FAILURES,
  WORKLOADS,
  type Cohort,
  type Workload,
} from './year-table.ts'

export type InventedCall = {
  at: number
  key: KeyName
  useCase: string | null
  cohort: Cohort | null
  /** The body as sent. */
  body: {
    model: string
    stream?: true
    messages: { role: 'system' | 'user'; content: string }[]
    max_completion_tokens: number
  }
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

/** A day of the year. `left`: days until the last. `part`: the share of the year before it. */
type Day = { at: number; left: number; part: number }

const HOUR_MS = 3_600_000

export function callsOfDay({ begins, days, callsADay }: FillYearRequest, index: number): InventedCall[] {
  const day = { at: begins + index * DAY_MS, left: days - 1 - index, part: index / days }
  const random = createRandom(20_261_121 + index)
  const calls = WORKLOADS.flatMap((work: Workload) =>
    Array.from({ length: countOf(work, day, callsADay, random) }, () => inventCall(work, day, random)),
  )
  return [...calls, ...oddCalls(day, random, Math.round(BATCH.calls * sizeOf(callsADay)))].toSorted(
    (a, b) => a.at - b.at,
  )
}

/** Returns the number of calls. They grow from month to month and drop at weekends. */
function countOf({ share, atWeekends }: Workload, { at, part }: Day, callsADay: number, random: Random): number {
  const weekday = new Date(at).getUTCDay()
  const weekdayFactor = weekday === 0 || weekday === 6 ? atWeekends : 1 + (1 - atWeekends) * 0.4
  const expected = share * callsADay * (0.6 + 0.8 * part) * weekdayFactor * (0.85 + 0.3 * random.next())
  return Math.floor(expected) + (random.happens(expected % 1) ? 1 : 0)
}

function inventCall(work: Workload, day: Day, random: Random): InventedCall {
  const cohort = random.weigh(COHORTS)
  const model = work.models[day.part < MODELS_CHANGE_AFTER ? 0 : 1]
  const topic = random.choose(TOPICS)
  const text = work.hasFewTexts ? topic : `Note ${random.between(1, 99_999)}: ${topic}.`
  const extra = work.found !== undefined && random.happens(work.found.share(cohort)) ? ` ${work.found.text}` : ''
  return {
    at: day.at + random.weigh(HOURS) * HOUR_MS + random.between(0, HOUR_MS - 1),
    key: work.key,
    useCase: work.useCase,
    cohort: work.hasCohorts ? cohort : null,
    body: {
      model,
      ...(work.isStream && { stream: true as const }),
      messages: [
        { role: 'system', content: work.instruction },
        { role: 'user', content: text + extra },
      ],
      max_completion_tokens: 2 * work.output,
    },
    ending: inventEnding(work, model, day, random),
  }
}

function inventEnding(work: Workload, model: string, { left }: Day, random: Random): InventedEnding {
  const whole: InventedEnding = {
    ended: 'completed',
    ms: random.spread(work.ms),
    inputTokens: random.spread(work.input),
    outputTokens: random.spread(work.output),
    finishReason: random.happens(0.01) ? 'length' : 'stop',
    errorCause: null,
    estimated: random.happens(0.008),
  }
  const bad = BAD_DAYS.find((days) => days.model === model && left >= days.from && left <= days.to)
  if (random.happens(bad?.share ?? USUAL_FAILURES)) {
    const errorCause = random.choose(['status', 'overloaded', 'no_headers'])
    const ms = errorCause === 'no_headers' ? 60_000 : 900
    return { ...whole, ended: 'failed', ms, finishReason: null, errorCause, estimated: false }
  }
  if (random.happens(0.0015)) return { ...whole, ended: 'lost' }
  if (work.isStream && random.happens(0.02)) {
    return { ...whole, ended: 'cancelled', finishReason: null, errorCause: 'caller', estimated: true }
  }
  return random.happens(0.006) ? { ...whole, outputTokens: 4, finishReason: 'content_filter' } : whole
}

/** Returns odd calls: a script's loop, a model that the policy does not name, a missing use case, and a batch. */
function oddCalls(day: Day, random: Random, batchCalls: number): InventedCall[] {
  const calls: InventedCall[] = []
  if (random.happens(0.05)) {
    const first = inventCall(CODING, day, random)
    calls.push(...Array.from({ length: random.between(9, 24) }, (_, n) => ({ ...first, at: first.at + n * 2_500 })))
  }
  if (random.happens(0.2)) calls.push(inventCall({ ...CODING, models: ['gpt-5.6-sol', 'gpt-5.6-sol'] }, day, random))
  if (random.happens(0.15)) calls.push({ ...inventCall(CODING, day, random), useCase: null })
  if (day.left === BATCH.left) {
    const work: Workload = { ...CODING, models: [BATCH.model, BATCH.model] }
    calls.push(...Array.from({ length: batchCalls }, () => inventCall(work, day, random)))
  }
  return calls
}
