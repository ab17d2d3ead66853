// The policy rule that says which requests a person must approve before they run. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { toMicroeur } from '../../platform/money.ts'
import { findGoneModel } from '../../providers/model-catalogue.ts'
import { CONTENT_KINDS, kindsOf, type RuleFacts } from '../facts.ts'
import { changedTo, raisedLimits } from './loosening-words.ts'
import { keyId, defineRule, useCaseName } from './rule.ts'

const MINUTE_SECONDS = 60
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS

const named = (name: z.ZodString) => z.array(name).min(1).max(100).optional()

const ApprovalCaseSchema = once(() =>
  z
    .strictObject({
      use_cases: named(useCaseName()).meta({
        description: 'As the caller declares it: a request that declares none is in none of them.',
      }),
      models: named(z.string().min(1).max(100)),
      keys: named(keyId()),
      content_kinds: z.array(z.enum(CONTENT_KINDS)).min(1).optional().meta({ description: 'Any of them.' }),
      min_cost_eur: z.number().min(0).max(1_000_000_000).optional().meta({ description: 'Of the most it can cost.' }),
    })
    .meta({
      id: 'ApprovalCase',
      description: 'A request that fits all of its members. Without members: every request.',
    }),
)

export const HumanApprovalSchema = once(() =>
  z
    .strictObject({
      when: z
        .array(ApprovalCaseSchema())
        .min(1)
        .max(50)
        .meta({ description: 'A request that is one of these cases needs approval.' }),
      expires_seconds: z
        .int()
        .min(5 * MINUTE_SECONDS)
        .max(7 * DAY_SECONDS)
        .default(DAY_SECONDS)
        .meta({ description: 'How long it waits for people. Once it is approved it may be used for an hour.' }),
      approvals_required: z
        .union([z.literal(1), z.literal(2)])
        .default(1)
        .meta({ description: 'How many people must approve.' }),
    })
    .meta({
      id: 'HumanApproval',
      description:
        'Which requests a person must approve before they run. From the tier pro on. Nobody approves what their own keys ask for.',
    }),
)

export type HumanApproval = Infer<typeof HumanApprovalSchema>

/** `reserveMicroeur`: the most that the request can cost. */
type ApprovalSubject = Pick<RuleFacts, 'keyId' | 'model' | 'useCase' | 'content'> & { reserveMicroeur: number }

export const needsApproval = ({ when }: HumanApproval, asked: ApprovalSubject): boolean =>
  when.some((one) => fits(one, asked))

function fits(one: HumanApproval['when'][number], asked: ApprovalSubject): boolean {
  const { use_cases, models, keys, content_kinds, min_cost_eur } = one
  return (
    (use_cases === undefined || (asked.useCase !== null && use_cases.includes(asked.useCase))) &&
    (models?.some((model) => isSameModel(model, asked.model)) ?? true) &&
    (keys?.includes(asked.keyId) ?? true) &&
    (content_kinds === undefined || kindsOf(asked.content).some((kind) => content_kinds.includes(kind))) &&
    (min_cost_eur === undefined || asked.reserveMicroeur >= toMicroeur(min_cost_eur))
  )
}

/** A rule for a model that is gone applies to its replacement: else those calls would need no approval any more. */
const isSameModel = (ruled: string, asked: string): boolean => ruled === asked || presentModel(ruled) === asked

const presentModel = (ruled: string): string => findGoneModel(ruled)?.replacement ?? ruled

type ApprovalCase = HumanApproval['when'][number]

const LISTS = ['use_cases', 'models', 'keys', 'content_kinds'] as const

/** Returns true if each request that fits the narrow case fits one of the wide cases. */
function areCovered(narrow: ApprovalCase, wide: readonly ApprovalCase[]): boolean {
  const cases = wide.filter((one) => toMicroeur(one.min_cost_eur ?? 0) <= toMicroeur(narrow.min_cost_eur ?? 0))
  /** One bit for each case that names this, or has no such list. */
  const casesWith = (list: (typeof LISTS)[number], name: string | null): bigint =>
    cases.reduce((bits, one, at) => (hasName(namesIn(one, list), name) ? bits | (1n << BigInt(at)) : bits), 0n)
  // Each name by its cases, so that names with the same cases count once. Null: any name that no case has.
  const names = LISTS.map((list) => new Set((namesIn(narrow, list) ?? [null]).map((name) => casesWith(list, name))))
  const hasCase = (bits: bigint, [first, ...rest]: typeof names): boolean =>
    bits !== 0n && (first === undefined || [...first].every((of) => hasCase(bits & of, rest)))
  return hasCase((1n << BigInt(cases.length)) - 1n, names)
}

const namesIn = (one: ApprovalCase, list: (typeof LISTS)[number]): readonly string[] | undefined =>
  list === 'models' ? one.models?.map(presentModel) : one[list]

/** A case without the list fits every name. */
const hasName = (names: readonly string[] | undefined, name: string | null): boolean =>
  names === undefined || (name !== null && names.includes(name))

export const humanApproval = defineRule({
  schema: HumanApprovalSchema,
  findLooser: (before, after) => [
    ...before.when.flatMap((one, at) =>
      areCovered(one, after.when) ? [] : [`requests of case ${at + 1} may pass without approval`],
    ),
    ...(after.approvals_required < before.approvals_required
      ? [changedTo('approvals_required', before.approvals_required, after.approvals_required)]
      : []),
    ...raisedLimits({ expires_seconds: before.expires_seconds }, { expires_seconds: after.expires_seconds }),
  ],
  listModels: ({ when }) =>
    when.flatMap(({ models = [] }, at) => models.map((model) => ({ path: `when.${at}.models`, model }))),
})
