// Tells of keys that end soon, each once.
import { NOTICES_KEPT_MS } from '../../notifications/budget-notices.store.ts'
import { notify, wants } from '../../notifications/notify.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Stores } from '../organisation-stores.ts'

const SOON_MS = 7 * DAY_MS

export function notifyOfExpiringKeys({ keys, outbox }: Pick<Stores, 'keys' | 'outbox'>, now: number): void {
  if (!wants(outbox, 'key.expiring')) return
  for (const { id, prefix, expiresAt } of keys.listExpiring(SOON_MS, now)) {
    if (expiresAt === null || !outbox.notices.noteUnlessRecent(`expiring/${id}`, NOTICES_KEPT_MS, now)) continue
    const data = { key_id: id, prefix, expires_at: new Date(expiresAt).toISOString() }
    notify(outbox, { type: 'key.expiring', data }, now)
  }
}
