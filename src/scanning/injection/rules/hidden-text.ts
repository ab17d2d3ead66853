// Prompt injection rule: the text has characters that a model reads and a person does not see.
import { someMatchInSteps } from '../../../platform/computation-steps.ts'
import type { InjectionRule } from './injection-rule.ts'

const INVISIBLE = [
  // A flag has at most six such characters.
  /[\u{e0020}-\u{e007e}]{8}/gu,
  // Both overrides of the direction; the isolates and marks that right-to-left languages need are left alone.
  /[\u202d\u202e]/g,
  // Scripts that need a joiner never need eight in a row.
  /[\u180e\u200b-\u200d\u2060-\u2064\ufeff]{8}/g,
  /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4}/gu,
]

export const HIDDEN_TEXT: InjectionRule = {
  says: 'The text contains characters that show as nothing or in another order, and can carry words: tag characters, overrides of the direction, runs without width.',
  holds: function* ({ prepared: { text, hasInvisible } }) {
    if (!hasInvisible) return false
    for (const each of INVISIBLE) if (yield* someMatchInSteps(text, each, 16)) return true
    return false
  },
}
