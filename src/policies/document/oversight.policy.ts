// What an organisation declares for those who oversee its calls. None of it lets a call pass or refuses one, but that a cohort must be
// declared to be counted.
import { z } from '@hono/zod-openapi'
import { useCaseName } from './names.schema.ts'

/** Coded labels: as many as can be compared with each other. */
const MOST_COHORTS = 12
const MOST_USE_CASES = 256

const isEachOnce = (names: readonly string[]): boolean => new Set(names).size === names.length

export const UseCasesSchema = z.array(useCaseName).max(MOST_USE_CASES).refine(isEachOnce, 'each once')

export const BiasSchema = z
  .strictObject({
    cohorts: z
      .array(useCaseName)
      .min(1)
      .max(MOST_COHORTS)
      .refine(isEachOnce, 'each once')
      .openapi({
        description: `Up to ${MOST_COHORTS} coded labels that callers may send in x-aqta-cohort.`,
        example: ['group-a', 'group-b'],
      }),
  })
  .openapi('Bias', {
    description:
      'The groups that calls may be counted in, so that how they were served can be compared. A label on a call can be special-category data (GDPR, Article 9): use codes, and only where you may.',
  })
