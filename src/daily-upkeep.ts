// The steps of the daily upkeep: built like the app, from what it is bound to.
import { EXPIRING_TABLES, ExpiredStore } from './accounts/expired.store.ts'
import { createActDelivery } from './accounts/members/act-delivery.ts'
import type { UpkeepStep } from './accounts/upkeep.ts'
import { organisationOpener } from './organisation/organisation-stub.ts'
import { systemClock } from './platform/clock.ts'
import { readConfig } from './platform/config.ts'

export function dailyUpkeep(env: Cloudflare.Env): readonly UpkeepStep[] {
  const expired = new ExpiredStore(env.DB)
  const deleting = EXPIRING_TABLES.map((table) => ({
    name: `delete_expired_${table}`,
    run: (now: number) => expired.deleteFrom(table, now),
  }))
  return [{ name: 'deliver_acts', run: () => deliverActs(env) }, ...deleting]
}

async function deliverActs(env: Cloudflare.Env): Promise<void> {
  const open = organisationOpener(env.ORGANISATIONS, readConfig(env).jurisdictions)
  await createActDelivery({ db: env.DB, open, clock: systemClock }).deliverLeft()
}
