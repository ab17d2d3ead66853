// What requests may be for, as their callers declare it. Pure.
import { z } from '@hono/zod-openapi'
import { useCaseName } from './names.schema.ts'
import type { RuleFacts } from './rule.ts'

export const UseCaseGuardSchema = z
  .strictObject({
    required: z.boolean().optional().openapi({ description: 'Whether every request must declare one. Left out: no.' }),
    allow: z
      .array(useCaseName)
      .max(256)
      .optional()
      .openapi({ description: 'The use cases that may be declared. Left out: any.', example: ['triage-notes'] }),
  })
  .openapi('UseCaseGuard', {
    description:
      'What requests may be for, as their callers declare it in x-aqta-use-case. Nobody checks that a declaration is true.',
  })

export type UseCaseGuard = z.infer<typeof UseCaseGuardSchema>

export type UseCaseReason = 'use_case_required' | 'use_case_not_allowed'

export function refuseUseCase(rule: UseCaseGuard, { useCase }: Pick<RuleFacts, 'useCase'>): UseCaseReason | null {
  if (useCase === null) return rule.required === true ? 'use_case_required' : null
  return rule.allow?.includes(useCase) === false ? 'use_case_not_allowed' : null
}
