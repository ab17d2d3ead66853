// One answer of a reader's model as a sample: an entry of the published list, or none of them, and an age group. An
// answer in any other form is no answer.
import { z } from 'zod'
import type { Answer } from '../../providers/answer.ts'
import { parseJson } from '../../providers/text.ts'
import type { AgeGroup } from '../waiting-lists/dataset.ts'
import { NO_AGE_GROUP, NO_SPECIALTY, TWO_PROBLEMS } from './reader-prompt.ts'

/**
 * The answer that was read: null specialty for none of these and for two problems, null age group where the letter does not tell.
 * `twoProblems`: the letter asks about two, so that no one entry is its answer.
 */
export type Choice = { specialty: string | null; ageGroup: AgeGroup | null; twoProblems: boolean }

const AnswerSchema = z.strictObject({
  specialty: z.string(),
  ageGroup: z.enum(['Adult', 'Child', NO_AGE_GROUP]),
})

/** Null where the answer was cut, refused, malformed, or names something that is not published. */
export function readChoice(choice: Answer['choices'][number], published: ReadonlySet<string>): Choice | null {
  if (choice.finishReason !== 'stop' || choice.refusal !== null) return null
  const parsed = AnswerSchema.safeParse(parseJson(choice.text))
  if (!parsed.success) return null
  const { specialty, ageGroup } = parsed.data
  const twoProblems = specialty === TWO_PROBLEMS
  const isNone = twoProblems || specialty === NO_SPECIALTY
  if (!isNone && !published.has(specialty)) return null
  return {
    specialty: isNone ? null : specialty,
    ageGroup: ageGroup === NO_AGE_GROUP ? null : ageGroup,
    twoProblems,
  }
}
