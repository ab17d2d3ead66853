import { countOf, joined, namesWords, textsIn, type WordsOf } from './rule-words.ts'

export const useCaseGuard: WordsOf<'use_case_guard'> = {
  name: 'Use cases',
  about: 'What requests may be for, as their callers declare it in x-aqta-use-case. Nobody checks that it is true.',
  start: { required: true },
  members: [
    { name: 'required', label: 'Every request declares one' },
    { name: 'allow', label: 'What may be declared', hint: 'Leave empty to allow anything.', names: 'use cases' },
  ],
  reasons: { use_case_required: 'No use case declared', use_case_not_allowed: 'Use case not allowed' },
  summary: ({ required, allow }) =>
    joined(
      required === true ? 'Every request declares one' : 'Need not be declared',
      allow !== undefined && (countOf(allow) === 0 ? 'none may be' : `${namesWords(textsIn(allow))} only`),
    ),
}
