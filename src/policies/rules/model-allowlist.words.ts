import { ownMember } from '../../platform/json.ts'
import { countOf, joined, namesWords, textsIn, type WordsOf } from './rule-words.ts'

export const modelAllowlist: WordsOf<'model_allowlist'> = {
  name: 'Models allowed',
  about: 'A call to any other model is blocked. The tier and the enabled providers may leave fewer.',
  off: 'every model of the tier and the enabled providers',
  start: {},
  members: [
    { name: 'models', label: 'Models for every call', hint: 'Leave empty to allow every model.', names: 'models' },
    { name: 'by_use_case', label: 'Use cases with models of their own', names: 'models by use case' },
    { name: 'by_key', label: 'Keys with models of their own', names: 'models by key' },
  ],
  reasons: {
    model_not_in_policy: 'Model not allowed',
    model_not_for_use_case: 'Model not allowed for this use case',
    model_not_for_key: 'Model not allowed for this key',
  },
  summary: ({ models, by_use_case: useCases, by_key: keys }, { plural }) =>
    joined(
      models === undefined
        ? 'Every model'
        : countOf(models) === 0
          ? 'No model: every call is blocked'
          : `${namesWords(textsIn(models))}; everything else is blocked`,
      countOf(useCases) > 0 && `fewer for ${plural(countOf(useCases), 'use case')}`,
      countOf(keys) > 0 && `fewer for ${plural(countOf(keys), 'key')}`,
    ),
  // A use case can allow fewer.
  forKey: (rule, { id, models }) => {
    const lists = [rule?.models, ownMember(rule?.by_key, id)]
    return { models: models.filter((model) => lists.every((names) => names?.includes(model) !== false)) }
  },
}
