// The body of a held action: exactly seven members, and a header that keeps client libraries from trying again.
import { z } from 'zod'
import type { Answer } from './deployment.ts'
import { departures } from './shape-differences.ts'

const HeldSchema = z.strictObject({
  action: z.string().min(1),
  decision: z.literal('held'),
  because: z.string().min(1),
  established: z.array(z.string().min(1)).min(1),
  cannot_tell_you_about_this_patient: z.array(z.string().min(1)).min(1),
  who_holds_this: z.string().min(1),
  note: z.string().min(1),
})

export function heldDifferences(answer: Answer): readonly string[] {
  const shouldRetry = answer.headers.get('x-should-retry')
  return [
    ...departures(HeldSchema, answer.json),
    ...(shouldRetry === 'false' ? [] : [`x-should-retry is ${shouldRetry ?? 'absent'}, not false`]),
  ]
}
