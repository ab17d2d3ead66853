// Shapes of the settings that both an organisation's people and the operator see and change.
import * as z from '../platform/zod.ts'
import { LOOP_BOUNDS } from '../policies/loops.policy.ts'
import { mailedNameUpTo } from '../platform/names.schema.ts'
import { UNSUPPORTED_ACTIONS } from '../policies/organisation-settings.ts'
import { PROVIDER_IDS } from '../providers/provider-registry.ts'
import {
  LONGEST_RETENTION_DAYS,
  rangeText,
  retentionRange,
  SHORTEST_RETENTION_DAYS,
  TIERS,
} from '../policies/tier.policy.ts'

const intWithin = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most)

const RANGES = TIERS.map((tier) => `${tier} ${rangeText(retentionRange(tier))}`).join(', ')

export const organisationName = mailedNameUpTo(200).meta({ example: 'Example Clinic' })

/** The settings that are shown and can be changed. Each is one member, so that a change names only what it changes. */
export const settingsShape = {
  enabled_providers: z.array(z.enum(PROVIDER_IDS)).meta({
    description: 'The providers to which the gateway may send prompts. None until they are chosen.',
  }),
  monthly_budget_eur: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .refine((eur) => Math.round(eur * 1e6) / 1e6 === eur, 'at most 6 decimals')
    .nullable()
    .meta({ description: 'The most that models may cost in a UTC month. Null: no such limit.', example: 50 }),
  default_max_tokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({
      description:
        'How many tokens a model may write where a request does not say. Sent to the provider as its limit, and held in ' +
        'the budget until the call is settled. A model that can write less gets its own limit.',
    }),
  cache_instructions: z.boolean().meta({
    description:
      'Whether long instructions (system messages) are marked to be kept for five minutes, at providers that want to be ' +
      'told what to keep, in requests that mark nothing themselves. Keeping costs more than sending, and reading again less.',
  }),
  idempotent_replays: z.boolean().meta({
    description:
      'Whether the answer to a chat call that was sent with idempotency-key is kept for a day, sealed, and given again to the ' +
      'same request under the same key. False: such a request is refused, 409 conflict, and never run again.',
  }),
  unsupported: z.enum(UNSUPPORTED_ACTIONS).meta({
    description:
      'What becomes of sampling parameters (temperature, top_p, penalties, seed) that a model does not take, and of an output limit ' +
      'above its own. drop: they are left out or lowered, and the answer names them in x-aqta-dropped. refuse: the request is refused, 400, by the name of the first.',
  }),
  retention_days: z
    .int()
    .min(SHORTEST_RETENTION_DAYS)
    .max(LONGEST_RETENTION_DAYS)
    .nullable()
    .meta({
      description:
        'For how many days the details of chat decisions are kept that are made from then on: what is there already keeps ' +
        `its day. As the tier lets it be chosen: ${RANGES}. Null: as long as the tier keeps them.`,
    }),
  content_logging: z
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
  loop_repeats: intWithin(LOOP_BOUNDS.repeats).meta({
    description: 'The same request of a key so many times within loop_window_seconds is a loop: it is suppressed.',
  }),
  loop_window_seconds: intWithin(LOOP_BOUNDS.windowSeconds),
  loop_cycle_rounds: intWithin(LOOP_BOUNDS.cycleRounds).meta({
    description:
      'Two to four requests of a key in turn, so many rounds of them within loop_cycle_window_seconds, are a loop too.',
  }),
  loop_cycle_window_seconds: intWithin(LOOP_BOUNDS.cycleWindowSeconds),
}

/** Settings that are always off. Turning one on is an error that names it, so that no setting is silently ignored. */
export const alwaysOffSettings = {
  cache_ttl_seconds: z.null({ error: 'expected null: cache.ttl_seconds of the policy says it' }).meta({
    description: 'Always null: for how long answers are given again is said by cache.ttl_seconds of the policy.',
  }),
}

const version = z.int().min(0)

/** The version, which counts changes of any of these members. */
export const versionMember = {
  version: version.meta({ description: 'Counts the changes of the organisation’s settings and name.' }),
}

/** An optional member of a change. */
export const ifVersionMember = {
  if_version: version.optional().meta({
    description: 'The change is made only where this is the version in force; otherwise it is refused: 409 conflict.',
  }),
}

export type SettingsShape = { [Member in keyof typeof settingsShape]: z.output<(typeof settingsShape)[Member]> }

/** A change of some settings. */
export type SettingsInput = { [Member in keyof SettingsShape]?: SettingsShape[Member] | undefined }
