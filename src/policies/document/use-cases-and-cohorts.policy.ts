// The policy rule about use cases, and the organisation's lists for oversight: use cases and cohorts. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { changedTo, formatNames, shortenedList, widenedList } from './loosening-words.ts'
import { useCaseName, type RuleFacts } from './policy-rule.ts'

export const UseCaseGuardSchema = once(() =>
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

type UseCaseGuard = Infer<typeof UseCaseGuardSchema>

type UseCaseReason = 'use_case_required' | 'use_case_not_allowed'

export function refuseUseCase(rule: UseCaseGuard, { useCase }: Pick<RuleFacts, 'useCase'>): UseCaseReason | null {
  if (useCase === null) return rule.required === true ? 'use_case_required' : null
  return rule.allow?.includes(useCase) === false ? 'use_case_not_allowed' : null
}

export const loosenedUseCases = (before: UseCaseGuard, after: UseCaseGuard): string[] => [
  ...(before.required === true && after.required !== true ? [changedTo('required', 'true', 'false')] : []),
  ...widenedList('allow', before.allow, after.allow),
]

/** The most coded labels that can still be compared with each other. */
const MOST_COHORTS = 12
const MOST_USE_CASES = 256

const hasNoDuplicates = (names: readonly string[]): boolean => new Set(names).size === names.length

export const UseCasesSchema = once(() =>
  z.array(useCaseName()).max(MOST_USE_CASES).refine(hasNoDuplicates, 'each once'),
)

/** Without a list, all calls are medical. */
export function loosenedMedical(before: readonly string[] | undefined, after: readonly string[] | undefined): string[] {
  if (after === undefined) return []
  if (before !== undefined) return shortenedList('the list', before, after)
  return [after.length === 0 ? 'no call is medical any more' : `only calls of ${formatNames(after)} are medical now`]
}

export const BiasSchema = once(() =>
  z
    .strictObject({
      cohorts: z
        .array(useCaseName())
        .min(1)
        .max(MOST_COHORTS)
        .refine(hasNoDuplicates, 'each once')
        .meta({
          description: `Up to ${MOST_COHORTS} coded labels that callers may send in x-aqta-cohort.`,
          example: ['group-a', 'group-b'],
        }),
    })
    .meta({
      id: 'Bias',
      description:
        'The groups that calls may be counted in, so that how they were served can be compared. A label on a call can be special-category data (GDPR, Article 9): use codes, and only where you may.',
    }),
)
