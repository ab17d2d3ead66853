// The body of a held action: exactly seven members, and a header that keeps client libraries from trying again.
import { z } from 'zod'
import type { Answer } from './deployment.ts'
import { memberOf } from './json.ts'
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

const UNSAID = 'note: it does not say that the request and the refusal are both recorded'

/** One sentence of the note says it, of both, and does not deny it. */
function saysBothAreRecorded(note: unknown): boolean {
  if (typeof note !== 'string') return false
  return note
    .toLowerCase()
    .split(/[.!?]/)
    .some(
      (sentence) =>
        ['request', 'refusal', 'both', 'recorded'].every((word) => sentence.includes(word)) &&
        !/\b(?:not|never|neither|no)\b/.test(sentence),
    )
}

export function heldDifferences(answer: Answer): readonly string[] {
  const shouldRetry = answer.headers.get('x-should-retry')
  return [
    ...departures(HeldSchema, answer.json),
    ...(saysBothAreRecorded(memberOf(answer.json, 'note')) ? [] : [UNSAID]),
    ...(shouldRetry === 'false' ? [] : [`x-should-retry is ${shouldRetry ?? 'absent'}, not false`]),
  ]
}
