// The steps of the daily upkeep: built like the app, from what it is bound to.
import { EXPIRING_TABLES, ExpiredStore } from './accounts/expired.store.ts'
import type { UpkeepStep } from './accounts/upkeep.ts'

export function dailyUpkeep(env: Cloudflare.Env): readonly UpkeepStep[] {
  const expired = new ExpiredStore(env.DB)
  const deleting = EXPIRING_TABLES.map((table) => ({
    name: `delete_expired_${table}`,
    run: (now: number) => expired.deleteFrom(table, now),
  }))
  return deleting
}
