// Commits to the answer that a caller got: its salted hash is in the call's settlement.
import type { AnswerOutline } from '../../evidence/records/answer-hasher.ts'
import type { HashFunctions } from '../../evidence/records/hash-functions.ts'
import { answerHash, type AnswerCommitment } from '../../evidence/records/answer-outline.ts'
import { beginSha256, sha256, sha256Hex } from '../../platform/sha256.ts'

/** The runtime's own, which are many times faster than those in JavaScript. */
export const hashFunctions: HashFunctions = { sha256, beginSha256 }

const SALT_BYTES = 16

/** SECURITY: the salt is new for each answer, so nobody can guess a short answer from its hash. */
export function commitToAnswer(outline: AnswerOutline): AnswerCommitment {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES)).toHex()
  return { salt, sha256: answerHash(salt, outline, sha256Hex) }
}
