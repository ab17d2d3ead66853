// The settings of an organisation, one row each. API schemas, log entries, D1, snapshots, the options and help of `npm run orgs` and
// the settings page follow from these rows. A new setting is a row here, and the code that decides by it.
import * as z from 'zod'
import { toEur, toMicroeur } from '../platform/money.ts'
import { PROVIDER_IDS, type ProviderId } from '../providers/provider-registry.ts'
import { LOOP_BOUNDS, LOOP_DEFAULTS } from './loops.policy.ts'
import { GRACE_DAYS, MOST_GRACE_DAYS, REQUIREMENTS } from './second-factor.policy.ts'
import { LONGEST_RETENTION_DAYS, MOST_REQUESTS_PER_MINUTE, SHORTEST_RETENTION_DAYS, TIERS } from './tier.policy.ts'

/** How to treat sampling parameters that a model does not support, and an output limit above its own. */
export const UNSUPPORTED_ACTIONS = ['drop', 'refuse'] as const

export type UnsupportedAction = (typeof UNSUPPORTED_ACTIONS)[number]

/** A setting's place on the settings page. */
export type SettingField = {
  label: string
  part: 'second-factor' | 'providers' | 'limits' | 'loops' | 'repeats' | 'retention' | 'content'
  /** What the setting does, under its field. A number without a hint shows its range. */
  hint?: string
  /** Settings of the same group are drawn together, under this heading. */
  group?: string
  /** The name of the field within its group, if it differs from the label. */
  labelInGroup?: string
  unit?: 'euro' | 'token' | 'time' | 'round' | 'day' | 'second' | 'date'
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

const number = ({ least, most }: Range, words: Words) => ({
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
const RATE = 'The organisation’s own rate (Pro and Enterprise). Null: the tier’s.'
const SAME_REQUEST = 'The same request again'
const REQUESTS_IN_TURN = 'Two to four requests in turn'
/** By the name that log entries, D1, snapshots and the API have. The code has the same name in camelCase. */
export const SETTINGS = {
  tier: setting({
    ...choice(TIERS, { description: 'What the operator allows the organisation: limits, models and features.' }),
    initial: 'free',
    setBy: 'operator',
    option: { name: 'tier', help: 'the tier' },
    field: null,
  }),
  enabled_providers: setting({
    stored: () => z.array(z.string()).transform(knownProviders),
    api: () =>
      z.array(z.enum(PROVIDER_IDS)).meta({
        description: 'The providers that the gateway may send prompts to.',
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
        .meta({ description: 'The most that models may cost in a UTC month. Null: no budget.', example: 50 }),
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
          'The output limit of a call that sets none. It is sent to the provider, and reserved in the budget until the call ' +
          'is settled.',
      },
    ),
    initial: 16_384,
    setBy: 'organisation',
    option: { name: 'max-tokens', help: 'default max output tokens' },
    field: {
      label: 'Default max output tokens',
      part: 'limits',
      hint: 'Used where a call names no limit. Set aside in the budget until the call has ended.',
      unit: 'token',
    },
  }),
  cache_instructions: setting({
    ...flag({
      description:
        'True: long system messages are marked for the provider’s cache for five minutes; writing costs more than sending, reading less.',
    }),
    initial: false,
    setBy: 'organisation',
    option: { name: 'cache-instructions', help: 'lets Anthropic cache long system messages' },
    field: {
      label: 'Cache long instructions at the provider',
      part: 'repeats',
      hint: 'For long system messages, for five minutes. Writing to the cache costs more than sending, and reading from it costs less.',
    },
  }),
  idempotent_replays: setting({
    ...flag({
      description:
        'True: the answer to a chat call with an idempotency-key is stored for a day, sealed, and sent again for the same ' +
        'request under the same key. False: such a request is refused with 409 conflict.',
    }),
    initial: false,
    setBy: 'organisation',
    option: { name: 'idempotent-replays', help: 'repeats the first answer to a repeated idempotency key' },
    field: {
      label: 'Repeat the first answer to a call that is sent again',
      part: 'repeats',
      hint: 'The answer to a call with an Idempotency-Key is stored for a day, sealed. If this is off, a repeated call is refused, and no stored answer is sent again.',
    },
  }),
  unsupported: setting({
    ...choice(UNSUPPORTED_ACTIONS, {
      description:
        'What to do with sampling parameters (temperature, top_p, penalties, seed) that a model does not take, and with an output ' +
        'limit above its own. drop: x-aqta-dropped names them, and x-aqta-added extended messages. refuse: the request is 400.',
    }),
    initial: 'drop',
    setBy: 'organisation',
    option: { name: 'unsupported', help: 'for parameters that a model does not support' },
    field: {
      label: 'Unsupported parameters',
      part: 'repeats',
      hint: 'Temperature, top_p, penalties and seed, a higher output limit, and messages that end with the assistant.',
      choices: { drop: 'Adapted, and named in headers', refuse: 'Refused' },
    },
  }),
  retention_days: setting({
    ...numberOrNone(RETENTION_DAYS, {
      description:
        'For how many days the details of new chat decisions are stored. Stored ones keep their own day. ' +
        'Null: the tier’s own time.',
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
            description: 'For how many days content of new calls is stored: no longer than details.',
          }),
        })
        .nullable()
        .meta({
          description:
            'Stores prompts and answers of new calls for so many days, sealed under a key of the organisation’s own. ' +
            'DELETE /api/compliance/content erases it.',
        }),
    initial: null,
    setBy: 'organisation',
    option: { name: 'content-logging', value: 'DAYS', help: 'days to keep encrypted prompts and answers' },
    field: { label: 'Prompts and answers', part: 'content' },
  }),
  loop_repeats: setting({
    ...number(LOOP_BOUNDS.repeats, {
      description:
        'How many equal requests of a key within loop_window_seconds are a loop. It is suppressed until none came for 60 seconds.',
    }),
    initial: LOOP_DEFAULTS.repeats,
    setBy: 'organisation',
    option: { name: 'loop-repeats', help: 'equal requests that are a loop within --loop-window' },
    field: { label: 'Same request', part: 'loops', group: SAME_REQUEST, labelInGroup: 'A loop from', unit: 'time' },
  }),
  loop_window_seconds: setting({
    ...number(LOOP_BOUNDS.windowSeconds, { description: 'The time for loop_repeats.' }),
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
        'How many rounds of two to four requests of a key in turn within loop_cycle_window_seconds are a loop.',
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
    ...number(LOOP_BOUNDS.cycleWindowSeconds, { description: 'The time for loop_cycle_rounds.' }),
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
  second_factor: setting({
    ...choice(REQUIREMENTS, {
      description: 'What members must prove every 24 hours; phishing_resistant: a passkey or `phr`.',
    }),
    initial: 'off',
    setBy: 'organisation',
    option: { name: 'second-factor', help: 'the second factor that members need' },
    field: {
      label: 'Require a second factor',
      part: 'second-factor',
      hint: 'If required, members without one can open nothing of the organisation. API keys are not affected.',
      choices: { off: 'Off', any: 'Any', phishing_resistant: 'Passkeys only' },
    },
  }),
  second_factor_from: setting({
    stored: () => z.string().nullable(),
    api: () =>
      z.iso
        .datetime()
        .nullable()
        .meta({
          description: `When that begins, within ${MOST_GRACE_DAYS} days. Null: in ${GRACE_DAYS}, or as before.`,
        }),
    initial: null,
    setBy: 'organisation',
    option: { name: 'second-factor-from', value: 'TIME', help: 'when that begins, as 2027-02-28T08:00:00Z' },
    field: {
      label: 'Required from',
      part: 'second-factor',
      hint: `At most ${MOST_GRACE_DAYS} days ahead. Empty: in ${GRACE_DAYS} days.`,
      unit: 'date',
      none: `In ${GRACE_DAYS} days`,
    },
  }),
  requests_per_minute: setting({
    ...numberOrNone(
      { least: 1, most: MOST_REQUESTS_PER_MINUTE },
      { description: `${RATE} Send null together with a tier that allows no own rate.` },
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
      { description: 'The organisation’s own monthly quota (Enterprise). Null: the tier’s.' },
    ),
    initial: null,
    setBy: 'operator',
    option: { name: 'quota', help: 'requests per month, for enterprise', none: 'the tier’s' },
    field: null,
  }),
}

export type Settings = typeof SETTINGS
export type SettingName = keyof Settings

export type ApiName<Name extends SettingName> = Settings[Name] extends { apiName: infer Given extends string }
  ? Given
  : Name

/** Any row, for code that treats all rows alike. */
export type AnySetting = Setting & {
  apiName?: string
  toApi?(stored: unknown): unknown
  fromApi?(sent: unknown): unknown
}
