// The policy rule about the use cases that callers declare. Pure.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { changedTo, widenedList } from './loosening-words.ts'
import { defineRule, useCaseName } from './rule.ts'

const UseCaseGuardSchema = once(() =>
  z
    .strictObject({
      required: z.boolean().optional().meta({ description: 'Whether every request must declare one. Left out: no.' }),
      allow: z
        .array(useCaseName())
        .max(256)
        .optional()
        .meta({ description: 'The use cases that may be declared. Left out: any.', example: ['triage-notes'] }),
    })
    .meta({
      id: 'UseCaseGuard',
      description:
        'What requests may be for, as their callers declare it in x-aqta-use-case. Nobody checks that a declaration is true.',
    }),
)

export const useCaseGuard = defineRule({
  schema: UseCaseGuardSchema,
  refuse: ({ required, allow }, { useCase }) => {
    if (useCase === null) return required === true ? 'use_case_required' : null
    return allow?.includes(useCase) === false ? 'use_case_not_allowed' : null
  },
  refusal: {
    param: 'x-aqta-use-case',
    problem: 'Your organisation’s policy does not allow this use case here',
    remedy: 'Choose another model, content or use case; no provider saw the request.',
    byReason: {
      use_case_required: {
        problem: 'Your organisation’s policy blocked this request before a provider saw it',
        remedy: 'Declare the use case of each request in the header x-aqta-use-case.',
      },
    },
  },
  findLooser: (before, after) => [
    ...(before.required === true && after.required !== true ? [changedTo('required', 'true', 'false')] : []),
    ...widenedList('allow', before.allow, after.allow),
  ],
})
