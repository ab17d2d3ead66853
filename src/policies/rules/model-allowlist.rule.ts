// The policy rule about models: further narrows what the tier and the enabled providers allow. Pure.
import * as z from 'zod'
import { ownMember } from '../../platform/json.ts'
import { once, type Infer } from '../../platform/once.ts'
import { widenedList } from './loosening-words.ts'
import type { RuleFacts } from '../facts.ts'
import { recordByKeyId, recordByUseCase, defineRule, type NamedModel } from './rule.ts'

const MOST_MODELS = 100

const models = once(() => z.array(z.string().min(1).max(100)).max(MOST_MODELS))

const ModelAllowlistSchema = once(() =>
  z
    .strictObject({
      models: models()
        .optional()
        .meta({ description: 'For every call.', example: ['gpt-5.6-luna', 'claude-haiku-4-5'] }),
      by_use_case: recordByUseCase(models()).optional().meta({ description: 'For calls that declare the use case.' }),
      by_key: recordByKeyId(models()).optional().meta({ description: 'For calls with the key.' }),
    })
    .meta({
      id: 'ModelAllowlist',
      description:
        'Which models may be asked. A call’s model must be in each list that applies to it; an empty list lets none through.',
    }),
)

type ModelAllowlist = Infer<typeof ModelAllowlistSchema>

type ModelReason = 'model_not_in_policy' | 'model_not_for_use_case' | 'model_not_for_key'

export function refuseModel(
  rule: ModelAllowlist,
  { model, useCase, keyId }: Pick<RuleFacts, 'model' | 'useCase' | 'keyId'>,
): ModelReason | null {
  if (rule.models?.includes(model) === false) return 'model_not_in_policy'
  if (ownMember(rule.by_use_case, useCase)?.includes(model) === false) return 'model_not_for_use_case'
  if (ownMember(rule.by_key, keyId)?.includes(model) === false) return 'model_not_for_key'
  return null
}

const listModels = ({ models: all = [], by_use_case = {}, by_key = {} }: ModelAllowlist): NamedModel[] => [
  ...all.map((model) => ({ path: 'models', model })),
  ...Object.entries(by_use_case).flatMap(([name, list]) =>
    list.map((model) => ({ path: `by_use_case.${name}`, model })),
  ),
  ...Object.entries(by_key).flatMap(([id, list]) => list.map((model) => ({ path: `by_key.${id}`, model }))),
]

const findLooser = (before: ModelAllowlist, after: ModelAllowlist): string[] => [
  ...widenedList('models', before.models, after.models),
  ...widenedLists('by_use_case', before.by_use_case, after.by_use_case),
  ...widenedLists('by_key', before.by_key, after.by_key),
]

type Lists = Readonly<Record<string, readonly string[]>>

const widenedLists = (at: string, before: Lists = {}, after: Lists = {}): string[] =>
  Object.entries(before).flatMap(([name, list]) => widenedList(`${at}.${name}`, list, ownMember(after, name)))

export const modelAllowlist = defineRule({
  schema: ModelAllowlistSchema,
  refuse: refuseModel,
  refusal: {
    param: 'model',
    problem: 'Your organisation’s policy does not allow this model here',
    remedy: 'Choose another model; no provider saw the request.',
  },
  findLooser,
  listModels,
})
