// The settings of an organisation, one row each. API schemas, log entries, D1, snapshots, the options and help of `npm run orgs` and
// the settings page follow from these rows. A new setting is a row here, and the code that decides by it.
import * as z from 'zod'
import { toEur, toMicroeur } from '../platform/money.ts'
import { PROVIDER_IDS, type ProviderId } from '../providers/provider-registry.ts'
import { LOOP_BOUNDS, LOOP_DEFAULTS } from './loops.policy.ts'
import {
  LONGEST_RETENTION_DAYS,
  MOST_REQUESTS_PER_MINUTE,
  rangeText,
  retentionRange,
  SHORTEST_RETENTION_DAYS,
  TIERS,
} from './tier.policy.ts'

/** How to treat sampling parameters that a model does not support, and an output limit above its own. */
export const UNSUPPORTED_ACTIONS = ['drop', 'refuse'] as const

export type UnsupportedAction = (typeof UNSUPPORTED_ACTIONS)[number]

/** A setting's place on the settings page. */
export type SettingField = {
  label: string
  part: 'providers' | 'limits' | 'loops' | 'repeats' | 'retention' | 'content'
  /** What the setting does, under its field. A number without a hint shows its range. */
  hint?: string
  /** Settings of the same group are drawn together, under this heading. */
  group?: string
  /** The name of the field within its group, if it differs from the label. */
  labelInGroup?: string
  /** The unit of a number. */
  unit?: 'euro' | 'token' | 'time' | 'round' | 'day' | 'second'
  /** What an empty number means. */
  none?: string
  /** The words of each value of a choice. */
  choices?: Readonly<Record<string, string>>
}

export type Setting<Stored extends z.ZodType = z.ZodType, Api extends z.ZodType = z.ZodType> = {
  /** The value in the log, in D1 and in snapshots. It has no bounds, so a stored value stays valid if the bounds change. */
  stored: () => Stored
  /** The value in a request, with its bounds. */
  api: () => Api
  /** The value in a response, if it is not that of a request. */
  shown?: () => z.ZodType<z.output<Api>, z.input<Api>>
  /** The value of a new organisation, and of entries and rows that were written before the setting existed. */
  initial: NoInfer<z.output<Stored>>
  setBy: 'organisation' | 'operator'
  /** The option of `npm run orgs`. Its form and default follow from the row; `value` names a number, `none` says what none means. */
  option: { name: string; help: string; value?: string; none?: string }
  /** Null if the page does not show the setting. */
  field: SettingField | null
}

/** A row whose API has another name and unit than the stored value. */
type Converted<Stored extends z.ZodType, Api extends z.ZodType, Other extends string> = {
  apiName: Other
  toApi: (stored: z.output<Stored>) => z.output<Api>
  fromApi: (sent: z.output<Api>) => z.output<Stored>
}

type Words = { description?: string; example?: unknown }

/** Types a row whose API has the stored name and value. */
const setting = <Stored extends z.ZodType, Api extends z.ZodType<z.output<Stored>>, const By extends Setting['setBy']>(
  row: Setting<Stored, Api> & { setBy: By },
) => row

/** Types a row whose API has another name and unit. */
const converted = <
  Stored extends z.ZodType,
  Api extends z.ZodType,
  const By extends Setting['setBy'],
  const Other extends string,
>(
  row: Setting<Stored, Api> & Converted<Stored, Api, Other> & { setBy: By },
) => row

const whole = () => z.int().nonnegative()

// Each kind gives a row both of its schemas.
const flag = (words: Words) => ({ stored: () => z.boolean(), api: () => z.boolean().meta(words) })

const choice = <const Values extends readonly string[]>(values: Values, words: Words) => ({
  stored: () => z.enum(values),
  api: () => z.enum(values).meta(words),
})

type Range = { least: number; most: number }

const number = ({ least, most }: Range, words: Words = {}) => ({
  stored: whole,
  api: () => z.int().min(least).max(most).meta(words),
})

const numberOrNone = ({ least, most }: Range, words: Words) => ({
  stored: () => whole().nullable(),
  api: () => z.int().min(least).max(most).nullable().meta(words),
})

/** Returns the provider ids among these names. A provider that was removed is no longer enabled. */
const knownProviders = (names: readonly string[]): ProviderId[] => PROVIDER_IDS.filter((id) => names.includes(id))

const RETENTION_DAYS = { least: SHORTEST_RETENTION_DAYS, most: LONGEST_RETENTION_DAYS }
const RANGES = TIERS.map((tier) => `${tier} ${rangeText(retentionRange(tier))}`).join(', ')
const RATE = 'A rate of its own (Pro and Enterprise). Null: the tier’s.'
const SAME_REQUEST = 'The same request again'
const REQUESTS_IN_TURN = 'Two to four requests in turn'
/** By the name that log entries, D1, snapshots and the API have. The code has the same name in camelCase. */
export const SETTINGS = {
  tier: setting({
    ...choice(TIERS, {}),
    initial: 'free',
    setBy: 'operator',
    option: { name: 'tier', help: 'the tier' },
    field: null,
  }),
  enabled_providers: setting({
    stored: () => z.array(z.string()).transform(knownProviders),
    api: () =>
      z.array(z.enum(PROVIDER_IDS)).meta({
        description: 'The providers to which the gateway may send prompts. None until they are chosen.',
      }),
    initial: [],
    setBy: 'organisation',
    option: { name: 'providers', help: 'providers that may get prompts: names with commas' },
    field: { label: 'Providers', part: 'providers' },
  }),
  monthly_budget_microeur: converted({
    stored: () => whole().nullable(),
    api: () =>
      z
        .number()
        .min(0)
        .max(1_000_000_000)
        .refine((eur) => toEur(toMicroeur(eur)) === eur, 'at most 6 decimals')
        .nullable()
        .meta({ description: 'The most that models may cost in a UTC month. Null: no such limit.', example: 50 }),
    apiName: 'monthly_budget_eur',
    toApi: toEur,
    fromApi: toMicroeur,
    initial: null,
    setBy: 'organisation',
    option: { name: 'budget', value: 'EUR', help: 'monthly budget for models' },
    field: {
      label: 'Monthly budget',
      part: 'limits',
      hint: 'A call that might not fit is refused. Empty: no budget. 0: no call that costs anything.',
      unit: 'euro',
      none: 'No budget',
    },
  }),
  default_max_tokens: setting({
    ...number(
      { least: 1, most: 1_000_000 },
      {
        description:
          'How many tokens a model may write where a request does not say. Sent to the provider as its limit, and held in ' +
          'the budget until the call is settled. A model that can write less gets its own limit.',
      },
    ),
    initial: 16_384,
    setBy: 'organisation',
    option: { name: 'max-tokens', help: 'default max output tokens' },
    field: {
      label: 'Default max output tokens',
      part: 'limits',
      hint: 'Used where a call names no limit. Held in the budget until the call is settled.',
      unit: 'token',
    },
  }),
  cache_instructions: setting({
    ...flag({
      description:
        'Whether long instructions (system messages) are marked to be kept for five minutes, at providers that want to be ' +
        'told what to keep, in requests that mark nothing themselves. Keeping costs more than sending, and reading again less.',
    }),
    initial: false,
    setBy: 'organisation',
    option: { name: 'cache-instructions', help: 'lets Anthropic cache long system messages' },
    field: {
      label: 'Cache long instructions at the provider',
      part: 'repeats',
      hint: 'Long system messages are marked for providers that want to be told what to keep, for five minutes. Keeping them costs more than sending them, and reading them again less.',
    },
  }),
  idempotent_replays: setting({
    ...flag({
      description:
        'Whether the answer to a chat call that was sent with idempotency-key is kept for a day, sealed, and given again to the ' +
        'same request under the same key. False: such a request is refused, 409 conflict, and never run again.',
    }),
    initial: false,
    setBy: 'organisation',
    option: { name: 'idempotent-replays', help: 'repeats the first answer to a repeated idempotency key' },
    field: {
      label: 'Repeat the first answer to a call that is sent again',
      part: 'repeats',
      hint: 'The answer to a call with an Idempotency-Key is kept for a day, sealed. If this is off, such a call is refused, and kept answers are not given again.',
    },
  }),
  unsupported: setting({
    ...choice(UNSUPPORTED_ACTIONS, {
      description:
        'What becomes of sampling parameters (temperature, top_p, penalties, seed) that a model does not take, and of an output limit ' +
        'above its own. drop: they are left out or lowered, and the answer names them in x-aqta-dropped. refuse: the request is refused, 400, by the name of the first.',
    }),
    initial: 'drop',
    setBy: 'organisation',
    option: { name: 'unsupported', help: 'for parameters that a model does not take' },
    field: {
      label: 'Parameters that a model does not take',
      part: 'repeats',
      hint: 'Temperature, top_p, penalties and seed, and a higher output limit.',
      choices: { drop: 'Left out or lowered, and named in x-aqta-dropped', refuse: 'Refused' },
    },
  }),
  retention_days: setting({
    ...numberOrNone(RETENTION_DAYS, {
      description:
        'For how many days the details of chat decisions are kept that are made from then on: what is there already keeps ' +
        `its day. As the tier lets it be chosen: ${RANGES}. Null: as long as the tier keeps them.`,
    }),
    initial: null,
    setBy: 'organisation',
    option: { name: 'retention', value: 'DAYS', help: 'days to keep details of decisions', none: 'the tier’s' },
    field: { label: 'Keep details for', part: 'retention', unit: 'day' },
  }),
  content_logging: setting({
    stored: () => z.object({ retention_days: whole() }).nullable(),
    api: () =>
      z
        .strictObject({
          retention_days: z.int().min(1).max(LONGEST_RETENTION_DAYS).meta({
            description: 'For how many days, of calls made from then on: no longer than the details are kept.',
          }),
        })
        .nullable()
        .meta({
          description:
            'Whether prompts and answers are kept, sealed under a key of the organisation’s own. Null: they are not. What is kept ' +
            'already keeps its day; DELETE /api/compliance/content erases it.',
        }),
    initial: null,
    setBy: 'organisation',
    option: { name: 'content-logging', value: 'DAYS', help: 'days to keep encrypted prompts and answers' },
    field: { label: 'Prompts and answers', part: 'content' },
  }),
  loop_repeats: setting({
    ...number(LOOP_BOUNDS.repeats, {
      description: 'The same request of a key so many times within loop_window_seconds is a loop: it is suppressed.',
    }),
    initial: LOOP_DEFAULTS.repeats,
    setBy: 'organisation',
    option: { name: 'loop-repeats', help: 'equal requests that are a loop within --loop-window' },
    field: { label: 'Same request', part: 'loops', group: SAME_REQUEST, labelInGroup: 'A loop from', unit: 'time' },
  }),
  loop_window_seconds: setting({
    ...number(LOOP_BOUNDS.windowSeconds),
    initial: LOOP_DEFAULTS.repeatWindowMs / 1000,
    setBy: 'organisation',
    option: { name: 'loop-window', value: 'SECONDS', help: 'the time for --loop-repeats' },
    field: {
      label: 'Same request within',
      part: 'loops',
      group: SAME_REQUEST,
      labelInGroup: 'Within',
      unit: 'second',
    },
  }),
  loop_cycle_rounds: setting({
    ...number(LOOP_BOUNDS.cycleRounds, {
      description:
        'Two to four requests of a key in turn, so many rounds of them within loop_cycle_window_seconds, are a loop too.',
    }),
    initial: LOOP_DEFAULTS.cycleRepeats,
    setBy: 'organisation',
    option: { name: 'loop-rounds', help: 'rounds of 2 to 4 requests that are a loop' },
    field: {
      label: 'Requests in turn',
      part: 'loops',
      group: REQUESTS_IN_TURN,
      labelInGroup: 'A loop from',
      unit: 'round',
    },
  }),
  loop_cycle_window_seconds: setting({
    ...number(LOOP_BOUNDS.cycleWindowSeconds),
    initial: LOOP_DEFAULTS.cycleWindowMs / 1000,
    setBy: 'organisation',
    option: { name: 'loop-cycle-window', value: 'SECONDS', help: 'the time for --loop-rounds' },
    field: {
      label: 'Requests in turn within',
      part: 'loops',
      group: REQUESTS_IN_TURN,
      labelInGroup: 'Within',
      unit: 'second',
    },
  }),
  requests_per_minute: setting({
    ...numberOrNone(
      { least: 1, most: MOST_REQUESTS_PER_MINUTE },
      { description: `${RATE} A tier that has none is assigned together with null.` },
    ),
    shown: () => z.int().min(1).nullable().meta({ description: RATE }),
    initial: null,
    setBy: 'operator',
    option: { name: 'rate', help: 'requests per minute, for pro and enterprise', none: 'the tier’s' },
    field: null,
  }),
  requests_per_month: setting({
    ...numberOrNone(
      { least: 1, most: 1_000_000_000 },
      { description: 'A monthly quota of its own (Enterprise). Null: the tier’s.' },
    ),
    initial: null,
    setBy: 'operator',
    option: { name: 'quota', help: 'requests per month, for enterprise', none: 'the tier’s' },
    field: null,
  }),
}

export type Settings = typeof SETTINGS
export type SettingName = keyof Settings

/** The name of a setting in the API. */
export type ApiName<Name extends SettingName> = Settings[Name] extends { apiName: infer Given extends string }
  ? Given
  : Name

/** Any row, for code that treats all rows alike. */
export type AnySetting = Setting & {
  apiName?: string
  toApi?(stored: unknown): unknown
  fromApi?(sent: unknown): unknown
}
