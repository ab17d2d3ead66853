// Hands a record with its proofs from a page of the dashboard to the verifier, through this tab's storage: it is on no server, and gone
// once the verifier has read it.

const KEY = 'to-verify'

export type HandedEvidence = { name: string; text: string }

/** A tab that has no room for it opens the verifier without it: there it can be chosen as a file. */
export function handToVerifier(evidence: HandedEvidence): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(evidence))
  } catch {
    // The storage is full.
  }
  // A new tab starts with a copy of this tab's storage. Without one, the verifier opens here.
  if (open('/verify') === null) location.assign('/verify')
  else sessionStorage.removeItem(KEY)
}

/** Returns what was handed over, once; null if there is nothing. */
export function takeHandedEvidence(): HandedEvidence | null {
  try {
    const stored = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    const evidence: unknown = stored === null ? null : JSON.parse(stored)
    return isHandedEvidence(evidence) ? evidence : null
  } catch {
    // A browser that keeps nothing, or the page as one file, has nothing to hand over.
    return null
  }
}

const isHandedEvidence = (value: unknown): value is HandedEvidence =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'text' in value &&
  typeof value.text === 'string'
