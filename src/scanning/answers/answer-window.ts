// Searches a text that arrives in pieces, such as a streamed answer, and tells how much of it is decided: that part can be sent.
import { type Steps } from '../../platform/computation-steps.ts'
import { findInText, type FoundValue, type IsWanted } from '../redaction/find-redactable-values.ts'

export type AnswerWindow = {
  /** Takes a piece. Read `decided` and `findings` afterwards. */
  push(piece: string): Steps<void>
  /** Decides the rest. */
  end(): Steps<void>
  /** Where the undecided text begins, in UTF-16 units. Nothing before it can become part of a finding. */
  readonly decided: number
  /** The findings in the decided text, in order. */
  readonly findings: readonly FoundValue[]
}

/** Decides nothing before the end. */
export function createAnswerWindow(isWanted: IsWanted): AnswerWindow {
  let text = ''
  let decided = 0
  let findings: readonly FoundValue[] = []
  return {
    *push(piece) {
      text += piece
      yield piece.length / 8
    },
    *end() {
      findings = yield* findInText(text, isWanted)
      decided = text.length
    },
    get decided() {
      return decided
    },
    get findings() {
      return findings
    },
  }
}
