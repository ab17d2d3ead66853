// The body of a held action: exactly seven members, no sentence of its own, and a header that keeps client libraries from
// trying again.
import { z } from 'zod'
import type { Answer } from './deployment.ts'
import {
  HELD_BECAUSE,
  HELD_CANNOT_TELL,
  HELD_ESTABLISHED,
  HELD_NOTE,
  unknownSentences,
  WHO_HOLDS,
} from './sentences.ts'
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

const OTHER_NOTE =
  'note: it is not the sentence of the contract, which says that the request and the refusal are both recorded'

/** Each sentence is one that the contract has for the action. */
function proseDifferences({ action, because, established, ...held }: z.infer<typeof HeldSchema>): readonly string[] {
  const cannotTell = held.cannot_tell_you_about_this_patient
  return [
    ...(because === HELD_BECAUSE[action]
      ? []
      : ['because: it is not the sentence that the contract has for the action']),
    ...unknownSentences('established', established, HELD_ESTABLISHED),
    ...unknownSentences('cannot_tell_you_about_this_patient', cannotTell, HELD_CANNOT_TELL),
    ...(held.who_holds_this === WHO_HOLDS ? [] : ['who_holds_this: it is not the sentence of the contract']),
    ...(held.note === HELD_NOTE ? [] : [OTHER_NOTE]),
  ]
}

export function heldDifferences(answer: Answer): readonly string[] {
  const shouldRetry = answer.headers.get('x-should-retry')
  const held = HeldSchema.safeParse(answer.json).data
  return [
    ...departures(HeldSchema, answer.json),
    ...(held === undefined ? [] : proseDifferences(held)),
    ...(shouldRetry === 'false' ? [] : [`x-should-retry is ${shouldRetry ?? 'absent'}, not false`]),
  ]
}
