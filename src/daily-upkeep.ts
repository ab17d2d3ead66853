// The steps of the daily upkeep, built like the app from the Worker's bindings.
import { ExpiredStore, EXPIRING_TABLES, type UpkeepStep } from './accounts/upkeep.ts'
import { createActDelivery } from './accounts/members/act-delivery.ts'
import { SessionsStore } from './accounts/people/sessions.store.ts'
import { createMailer } from './platform/mail.ts'
import { createErasures } from './management/erasure/erasures.ts'
import { organisationOpener } from './organisation/client.ts'
import { systemClock } from './platform/clock.ts'
import { readConfig } from './platform/config.ts'

export function dailyUpkeep(env: Cloudflare.Env): readonly UpkeepStep[] {
  const expired = new ExpiredStore(env.DB)
  const deleting = EXPIRING_TABLES.map((table) => ({
    name: `delete_expired_${table}`,
    run: (now: number) => expired.deleteFrom(table, now),
  }))
  return [
    { name: 'deliver_acts', run: () => deliverActs(env) },
    ...deleting,
    { name: 'erase_due_people', run: (now) => eraseDuePeople(env, now) },
  ]
}

async function deliverActs(env: Cloudflare.Env): Promise<void> {
  const open = organisationOpener(env.ORGANISATIONS, readConfig(env).jurisdictions)
  await createActDelivery({ db: env.DB, open, clock: systemClock }).deliverLeft()
}

/** Rejects if a due erasure of a person failed. Each failure is in the log. */
async function eraseDuePeople(env: Cloudflare.Env, now: number): Promise<void> {
  const { jurisdictions, signIn } = readConfig(env)
  const erasures = createErasures({
    db: env.DB,
    sessions: new SessionsStore(env.DB),
    open: organisationOpener(env.ORGANISATIONS, jurisdictions),
    mailer: createMailer(signIn.mail, env.EMAIL),
    clock: systemClock,
  })
  const { failed } = await erasures.eraseDuePeople(now)
  if (failed > 0) throw new Error('some people are not erased')
}
