// The keys that the API reference sends with. SECURITY: in this tab's storage alone, over its pages, until somebody signs in or out.

const PREFIX = 'try-key:'
const MADE = `${PREFIX}made`

export const HOUR_MS = 3_600_000

/** A browser that keeps nothing for a page has no storage. */
function storage(): Storage | null {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

/** The kept key of the kind, or nothing. */
export const keptKey = (kind: string): string => storage()?.getItem(PREFIX + kind) ?? ''

/** @param made where the page made it itself: what revokes it */
export function keepKey(kind: string, key: string, made: { id: string; organisation: string } | null): void {
  try {
    storage()?.setItem(PREFIX + kind, key)
    if (made !== null) storage()?.setItem(MADE, `${made.id} ${made.organisation}`)
  } catch {
    // The storage is full: the page has it all the same.
  }
}

export function forgetKeys(): void {
  for (const name of Object.keys(storage() ?? {})) if (name.startsWith(PREFIX)) storage()?.removeItem(name)
}

/** Revokes the key that the reference made, while the session still permits it. */
export async function revokeMadeKey(): Promise<void> {
  const [id, organisation] = storage()?.getItem(MADE)?.split(' ') ?? []
  if (id !== undefined && organisation !== undefined) await revokeKey(id, organisation)
}

/** If it does not reach the service, the key ends after its hour. */
export async function revokeKey(id: string, organisation: string): Promise<void> {
  const headers = { 'x-aqta-organisation': organisation }
  await fetch(`/api/keys/${id}`, { method: 'DELETE', headers, keepalive: true }).catch(() => undefined)
}
