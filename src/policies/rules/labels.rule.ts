// The members of the policy that refuse nothing, and say what calls are overseen and counted by: lists of use cases, and cohorts. Pure.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { formatNames, shortenedList, widenedList } from './loosening-words.ts'
import { defineRule, useCaseName } from './rule.ts'

/** The most coded labels that can still be compared with each other. */
const MOST_COHORTS = 12
const MOST_USE_CASES = 256

const hasNoDuplicates = (names: readonly string[]): boolean => new Set(names).size === names.length

const UseCasesSchema = once(() => z.array(useCaseName()).max(MOST_USE_CASES).refine(hasNoDuplicates, 'each once'))

const BiasSchema = once(() =>
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

export const medicalUseCases = defineRule({
  schema: UseCasesSchema,
  meta: {
    description: 'The use cases whose calls are medical receipts. Left out: all calls are.',
    example: ['triage-notes'],
  },
  findLooser: (before, after) => shortenedList('the list', before, after),
  // Without the list, all calls are medical.
  findLooserIfSet: (after) => [
    after.length === 0 ? 'no call is medical any more' : `only calls of ${formatNames(after)} are medical now`,
  ],
})

export const highRiskUseCases = defineRule({
  schema: UseCasesSchema,
  meta: {
    description:
      'The use cases that the organisation holds to be high-risk. The compliance score asks whether people approve them.',
    example: ['triage-notes'],
  },
  findLooser: (before, after) => shortenedList('the list', before, after),
})

export const bias = defineRule({
  schema: BiasSchema,
  // A label that is not declared is refused.
  unset: () => ({ cohorts: [] }),
  findLooser: (before, after) => widenedList('cohorts', before.cohorts, after.cohorts),
})
