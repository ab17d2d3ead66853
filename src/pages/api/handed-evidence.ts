// Hands a record with its proofs from a page of the dashboard to the verifier, through the tab's storage: it is on no server, and gone
// once the verifier has read it.
import { allInTab, keepInTab, keptInTab } from './tab-storage.ts'

const KEY = 'to-verify'

export type HandedEvidence = { name: string; text: string }

/**
 * Opens the verifier with it in a new tab, or here if the browser opens none. A tab that has no room for it opens without it: there it
 * can be chosen as a file.
 */
export function handToVerifier(evidence: HandedEvidence): void {
  // A new tab starts with a copy of this tab's storage: what was typed here, and keys, are taken out meanwhile.
  const kept = allInTab().filter(([name]) => name !== KEY)
  for (const [name] of kept) keepInTab(name, null)
  keepInTab(KEY, JSON.stringify(evidence))
  const tab = open('/verify')
  if (tab !== null) {
    keepInTab(KEY, null)
    tab.opener = null
  }
  for (const [name, text] of kept) keepInTab(name, text)
  if (tab === null) location.assign('/verify')
}

/** Returns what was handed over, once; null if there is nothing. */
export function takeHandedEvidence(): HandedEvidence | null {
  const stored = keptInTab(KEY)
  keepInTab(KEY, null)
  try {
    const evidence: unknown = stored === null ? null : JSON.parse(stored)
    return isHandedEvidence(evidence) ? evidence : null
  } catch {
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
