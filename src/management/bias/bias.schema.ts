// Request and response shapes of bias detection, and the sentences that state what it cannot show.
import { COMPARED_NAMES } from '../../reports/statistics/compared-outcomes.ts'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { DAY_KINDS, RATE_KINDS } from '../../organisation/bias/bias-measures.ts'
import { GROUPINGS } from '../../platform/groupings.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { VERDICTS } from '../../reports/statistics/compare-groups.ts'
import { adjustedMembers } from '../../reports/report/adjusted.schema.ts'
import { dateRangeMembers } from '../date-range.ts'

const count = once(() => z.int().min(0))
const number = once(() => z.number())
const interval = once(() => z.tuple([number(), number()]))
const verdict = once(() => z.enum(VERDICTS))

export const BiasQuerySchema = once(() =>
  z.strictObject({
    ...dateRangeMembers(),
    by: z.enum(GROUPINGS).default('cohort').meta({ description: 'What the calls are grouped by.' }),
    outcome: z.enum(COMPARED_NAMES).default('answered').meta({
      description:
        'What is compared, of all calls of a group. approved: of the approvals that people decided in these days; no approval knows a cohort.',
    }),
    reference: z.string().min(1).max(200).optional().meta({
      description: 'The group that the others are compared with. Left out: the one with the most calls.',
    }),
  }),
)

const ratioOf = (what: string) =>
  orNull(number()).meta({
    description: `The group’s rate of ${what}, over the reference’s. Null: too little for it, or the reference’s is 0.`,
  })

const GroupSchema = once(() =>
  z.strictObject({
    group: z.string(),
    n: orNull(count()).meta({
      description: 'Calls. Null here and in what follows: fewer than 10, which are not shown.',
    }),
    k: orNull(count()).meta({ description: 'Those with the outcome.' }),
    rate: orNull(number()),
    interval: orNull(interval()).meta({ description: 'Of 95%, Wilson’s, of the calls over the dispersion.' }),
    dispersion: orNull(number()).meta({
      description:
        'How many times more the group’s days vary than independent calls would. Every interval and test has it. Null: fewer than seven days.',
    }),
  }),
)

const ComparisonSchema = once(() =>
  z.strictObject({
    group: z.string(),
    reference: z.string(),
    difference: orNull(number()).meta({ description: 'The group’s rate of the outcome, less the reference’s.' }),
    difference_interval: orNull(interval()),
    ratio: ratioOf('what is favourable (answered, approved; not refused, blocked, suppressed, failed)'),
    ratio_interval: orNull(interval()),
    unfavourable_ratio: ratioOf('what is not favourable'),
    unfavourable_ratio_interval: orNull(interval()),
    p: orNull(number()),
    p_adjusted: orNull(number()).meta({ description: 'Over all comparisons of this answer (Benjamini and Hochberg).' }),
    ...adjustedMembers(),
    verdict: verdict(),
  }),
)

const AlarmSchema = once(() =>
  z
    .strictObject({
      kind: z.enum([...RATE_KINDS, ...DAY_KINDS]),
      series: z.string().meta({ description: 'all, or key:, model: or use_case: and a name.' }),
      since: z.string().meta({ description: 'An hour of a rate, a day of all else. UTC.' }),
      value: number().meta({
        description: 'From 0 to 1 of a rate; calls of volume; milliseconds of p95_latency; euro of cost_per_call.',
      }),
      baseline: number().meta({ description: 'What is usual.' }),
      statistic: number().meta({ description: 'The cumulative sum of a rate; a robust z of all else.' }),
      threshold: number().meta({ description: 'An alarm where the statistic is at least as far from 0.' }),
      change: orNull(number()).meta({
        description: 'Of a rate: how many times the baseline the sum looked for, 2 or 8. Null of all else.',
      }),
    })
    .meta({ id: 'Alarm' }),
)

export const AnomalySchema = once(() =>
  AlarmSchema()
    .extend({
      alarms: z.array(AlarmSchema()).meta({
        description: 'All alarms of the anomaly, the first one first. The other members are those of the clearest.',
      }),
    })
    .meta({ id: 'Anomaly' }),
)

export const BiasDetectionSchema = once(() =>
  z
    .strictObject({
      object: z.literal('bias_detection'),
      start: z.iso.date(),
      end: z.iso.date(),
      by: z.enum(GROUPINGS),
      outcome: z.enum(COMPARED_NAMES),
      method: z.literal('parity-2'),
      unit: z.enum(['call', 'approval']),
      reference: orNull(z.string()).meta({ description: 'Null where there is no group.' }),
      groups: z.array(GroupSchema()),
      comparisons: z.array(ComparisonSchema()),
      parity: z.strictObject({
        difference: orNull(number()).meta({
          description: 'Between the highest and the lowest rate, of groups with 100 calls or more.',
        }),
        ratio: orNull(number()).meta({ description: 'Of the lowest and the highest rate of what is favourable.' }),
        verdict: verdict().meta({
          description:
            'disparity: of any comparison. explained: of any, where none is a disparity. within: of all of them. not_enough_data: of all of them, or there is none. uncertain: no difference shown, and none excluded.',
        }),
      }),
      anomalies: z.array(AnomalySchema()).meta({ description: 'Those whose first alarm began in these days.' }),
      cannot_show: z.array(z.string()).meta({ description: 'What this answer does not say.' }),
      ...demoMember(),
    })
    .meta({ id: 'BiasDetection' }),
)
export type BiasDetection = Infer<typeof BiasDetectionSchema>

/** The limits of a comparison of groups. Every response and report with a comparison includes this text. */
export const CANNOT_SHOW =
  'This compares how calls were served, not what the answers said. A difference is a reason to look, not a finding of discrimination; no difference is not proof of fairness.'

export const NO_GROUND_TRUTH =
  'What an answer should have been is not known here, so equalised odds and calibration cannot be worked out.'
