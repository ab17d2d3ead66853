// Request and response schemas of the analytics routes.
import * as z from 'zod'
import { COUNTED_GROUPINGS } from '../../platform/groupings.ts'
import { once, type Infer } from '../../platform/once.ts'
import { COUNTED_NAMES, ENDING_NAMES, findEnding, membersOf, OUTCOMES } from '../../evidence/records/call-endings.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { dateRangeMembers } from '../date-range.ts'

export const BUCKETS = ['day', 'month', 'total'] as const
const GROUPINGS = [...COUNTED_GROUPINGS, 'ending'] as const

const named = (what: string) =>
  z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: `Only calls ${what}.` })

export const AnalyticsQuerySchema = once(() =>
  z.strictObject({
    ...dateRangeMembers(),
    bucket: z.enum(BUCKETS).default('day').meta({
      description: 'What is added up: each UTC day, each UTC month (of the first and last the days asked for), or all.',
    }),
    group_by: z.enum(GROUPINGS).optional().meta({
      description: 'A row for each value as well, in the order in which they were first counted.',
    }),
    model: named('that asked for this model'),
    key_id: named('of this key'),
    use_case: named('that declared this use case; `(other)` those of further use cases than 256'),
    limit: z.coerce.number().int().min(1).max(1000).optional().meta({
      description: 'Rows in a page: 100 where it is left out. Of JSON alone: CSV has all rows.',
    }),
    cursor: z
      .string()
      .regex(/^-?\d{1,6}\.\d{1,9}$/, 'the next_cursor of the page before')
      .optional(),
    format: z.enum(['json', 'csv']).default('json'),
  }),
)

export type AnalyticsQuery = Infer<typeof AnalyticsQuerySchema>

const count = (description: string) => z.int().min(0).meta({ description })

const milliseconds = (description: string) => orNull(z.int().min(0)).meta({ description })

const responseMs = once(() =>
  orNull(
    z.strictObject({
      mean: z.int().min(0),
      p50: milliseconds(
        'An upper bound, at most a sixteenth too high. Null where latencies are not kept so: by key, use case or ending.',
      ),
      p95: milliseconds('As p50. Null too for fewer than 20 timed calls.'),
      p99: milliseconds('As p50. Null too for fewer than 100 timed calls.'),
    }),
  ).meta({
    description:
      'How long providers took to answer or fail. Answers from the cache have no time. Null if no call has one.',
  }),
)

const counts = once(() => ({
  requests: count('All that were decided, without those in flight: the sum of passed, held, blocked and suppressed.'),
  ...membersOf(COUNTED_NAMES, (name) => count(findEnding(name)?.means ?? '')),
  passed: count('Those that were allowed and have ended: the sum of the endings that follow.'),
  held: count('Held for a person: they wait, or waited and never ran. The sum of the endings that follow.'),
  refused: count('Of those that completed, those that the model itself refused to answer.'),
  input_tokens: count('With cached_input_tokens.'),
  cached_input_tokens: count('Read from a provider’s cache.'),
  output_tokens: count('With those of reasoning.'),
  response_ms: responseMs(),
}))

const euro = (description: string) => z.number().min(0).meta({ description })

const costs = once(() => ({
  requests: counts().requests,
  cost_eur: euro('What they cost.'),
  cost_prevented_eur: euro('What the input of those that were refused would have cost.'),
  cost_estimated_requests: count('Those whose provider did not say what it used, so that their cost is estimated.'),
}))

const under = once(() => ({
  date: orNull(z.string()).meta({
    description: 'The day (2026-11-20), the month (2026-11), or null for all of it.',
    example: '2026-11-20',
  }),
  model: orNull(z.string()).meta({ description: 'Null unless grouped by model.' }),
  key_id: orNull(z.string()).meta({ description: 'Null unless grouped by key.' }),
  use_case: orNull(z.string()).meta({
    description: 'Null unless grouped by use case, and for calls that declare none.',
  }),
  ending: orNull(z.enum(ENDING_NAMES)).meta({ description: 'Null unless grouped by ending.' }),
}))

export const RequestsRowSchema = once(() =>
  z.strictObject({ object: z.literal('analytics.requests'), ...under(), ...counts() }).meta({ id: 'RequestAnalytics' }),
)

export const CostsRowSchema = once(() =>
  z.strictObject({ object: z.literal('analytics.costs'), ...under(), ...costs() }).meta({ id: 'CostAnalytics' }),
)

const listMembers = once(() => ({
  object: z.literal('list'),
  ...demoMember(),
  start: z.iso.date(),
  end: z.iso.date(),
  bucket: z.enum(BUCKETS),
  group_by: orNull(z.enum(GROUPINGS)),
  time_zone: z.literal('UTC'),
  in_flight: count('Calls that were allowed and have not ended: they are in no row yet.'),
  unreadable_entries: count(
    'Entries of the whole log that could not be read when calls were counted: what they told is in no row.',
  ),
}))

const page = once(() => ({ has_more: z.boolean(), next_cursor: z.string().nullable() }))

export const RequestsSchema = once(() =>
  z
    .strictObject({ ...listMembers(), totals: z.strictObject(counts()), data: z.array(RequestsRowSchema()), ...page() })
    .meta({
      id: 'RequestAnalyticsList',
      description: 'Every day is there, one without a call with zeros. Totals are of all pages.',
    }),
)

export const CostsSchema = once(() =>
  z
    .strictObject({
      ...listMembers(),
      budget_eur: orNull(z.number()).meta({
        description:
          'The organisation’s budget for a month: the lower one of its settings’ and its policy’s. Null where there is none.',
      }),
      budget_left_eur: orNull(z.number()).meta({ description: 'Of it, for this month, less what is reserved.' }),
      reserved_eur: euro('The most that calls under way can cost.'),
      totals: z.strictObject(costs()),
      data: z.array(CostsRowSchema()),
      ...page(),
    })
    .meta({
      id: 'CostAnalyticsList',
      description: 'Every day is there, one without a call with zeros. Totals are of all pages.',
    }),
)

export const StopsQuerySchema = once(() =>
  z.strictObject({
    ...dateRangeMembers(),
    model: named('that asked for this model'),
    key_id: named('of this key'),
    use_case: named('that declared this use case; `(other)` those of further use cases than 256'),
    group_by: z.enum(['key']).optional().meta({ description: 'key: a row for each key as well.' }),
    format: z.enum(['json', 'csv']).default('json'),
  }),
)

export const StopSchema = once(() =>
  z
    .strictObject({
      object: z.literal('analytics.stop'),
      outcome: z.enum(OUTCOMES).exclude(['passed']),
      ending: z.enum(ENDING_NAMES),
      rule: orNull(z.string()).meta({ description: 'The policy rule that stopped the calls.' }),
      reason: orNull(z.string()),
      policy_version: orNull(z.int().min(1)).meta({
        description: 'The version of the policy that decided. Null if the organisation had none.',
      }),
      key_id: under().key_id,
      requests: count('How many calls.'),
    })
    .meta({ id: 'StopAnalytics' }),
)

export const StopsSchema = once(() =>
  z
    .strictObject({
      object: z.literal('list'),
      ...demoMember(),
      start: z.iso.date(),
      end: z.iso.date(),
      group_by: orNull(z.enum(['key'])),
      requests: count('All of them: what the rows add up to.'),
      data: z.array(StopSchema()),
      has_more: z.literal(false),
      next_cursor: z.null(),
    })
    .meta({ id: 'StopAnalyticsList' }),
)

export const KEY_COUNTS = ['requests', ...OUTCOMES, 'failed', 'interrupted'] as const

const keyCounts = once(() => ({
  ...membersOf(KEY_COUNTS, (name) => counts()[name]),
  cost_eur: costs().cost_eur,
}))

const KeyCountsSchema = once(() => z.strictObject(keyCounts()).meta({ id: 'KeyCounts' }))

export const KeyFiguresQuerySchema = once(() => z.strictObject({ ...dateRangeMembers(), key_id: named('of this key') }))

export const KeyFiguresSchema = once(() =>
  z
    .strictObject({
      object: z.literal('list'),
      ...demoMember(),
      start: z.iso.date(),
      end: z.iso.date(),
      previous_start: z.iso.date().meta({ description: 'The first of as many days before, which `previous` is of.' }),
      previous_end: z.iso.date(),
      totals: KeyCountsSchema(),
      previous_totals: KeyCountsSchema(),
      data: z.array(
        z
          .strictObject({
            object: z.literal('analytics.key'),
            key_id: z.string(),
            last_used_at: orNull(z.iso.datetime()),
            busiest_hour: orNull(z.strictObject({ start: z.iso.datetime(), requests: z.int().min(1) })).meta({
              description:
                'The hour of these days in which the most calls ended, where key_id names the key. Null otherwise, and if none did. Hours are counted for 35 days.',
            }),
            ...keyCounts(),
            previous: KeyCountsSchema(),
            stops: z
              .array(
                z
                  .strictObject({ rule: orNull(z.string()), reason: orNull(z.string()), requests: z.int().min(1) })
                  .meta({ id: 'KeyStop' }),
              )
              .meta({ description: 'What stopped its calls, and how many, the most first.' }),
          })
          .meta({ id: 'KeyAnalytics' }),
      ),
      has_more: z.literal(false),
      next_cursor: z.null(),
    })
    .meta({
      id: 'KeyAnalyticsList',
      description: 'Keys that had a call in either period, the one with the most first.',
    }),
)

export type KeyFiguresList = Infer<typeof KeyFiguresSchema>

export type Stop = Infer<typeof StopSchema>

export type RequestsRow = Infer<typeof RequestsRowSchema>
export type CostsRow = Infer<typeof CostsRowSchema>
