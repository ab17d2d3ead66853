// Gemini's thought signatures: on the first call of a step, and on the last part of a text.

import { sign, signedPlace } from '../signatures.ts'
import type { GoogleContent } from './google-request.ts'

const PLACE = 'part'
export const TEXT_SIGNATURE = sign(PLACE, 'text')

/** Google's documented stand-ins for a signature that the caller does not have. */
const STAND_INS: ReadonlySet<string> = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
])

export function callSignature(name: string): string {
  return sign(PLACE, `call ${name}`)
}

export function isSignedAsGiven({ functionCall, thoughtSignature }: GoogleContent['parts'][number]): boolean {
  if (thoughtSignature === undefined || STAND_INS.has(thoughtSignature)) return true
  return signedPlace(thoughtSignature, functionCall === undefined ? 'text' : `call ${functionCall.name}`) !== null
}
