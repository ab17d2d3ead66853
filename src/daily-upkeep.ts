// Lists and runs the steps of the daily upkeep. A failed step is logged by its name, does not stop the others, and runs again the
// next day. D1 has a row for each step with its times, which /readyz reads.
import { createActDelivery } from './accounts/members/act-delivery.ts'
import { MembersStore } from './accounts/members/members.store.ts'
import { OrganisationsStore } from './accounts/organisations.store.ts'
import { IDLE_MS, SessionsStore } from './accounts/people/sessions.store.ts'
import { TOTP_WAITS_MS } from './accounts/second-factor/factors.store.ts'
import { createRequirementMails } from './management/settings/requirement-mails.ts'
import { createErasures } from './management/erasure/create-erasures.ts'
import { organisationOpener } from './organisation/organisation-client.ts'
import { DAY_MS, systemClock } from './platform/time.ts'
import { readConfig } from './platform/config.ts'
import { describeThrown, log } from './platform/log.ts'
import { createMailer } from './platform/mail.ts'
import { vouchingProviders } from './platform/sign-in-config.ts'
import { readEndpointSettings } from './providers/endpoint-settings.ts'
import { chooseReaderRoutes, type ReaderRoutes } from './referral/readers/reader-routes.ts'
import { findOldPromises, findRetiringReaders } from './referral/readers/readers-upkeep.policy.ts'

/** The steps, by their names in the log. `now`: milliseconds since the epoch. */
type Steps = Readonly<Record<string, (now: number) => Promise<void>>>

export const dailyUpkeep = (env: Cloudflare.Env): Steps => ({
  deliver_acts: () => deliverActs(env),
  delete_expired_sessions: (now) =>
    deleteExpired(env, 'sessions', `expires_at <= ?1 OR seen_at <= ?1 - ${IDLE_MS}`, now),
  delete_expired_mail_links: (now) => deleteExpired(env, 'mail_links', 'expires_at <= ?1', now),
  delete_expired_invitations: (now) => deleteExpired(env, 'invitations', 'expires_at <= ?1', now),
  delete_expired_oauth_flows: (now) => deleteExpired(env, 'oauth_flows', 'expires_at <= ?1', now),
  delete_expired_pending_sign_ins: (now) => deleteExpired(env, 'pending_sign_ins', 'expires_at <= ?1', now),
  delete_used_challenges: (now) => deleteExpired(env, 'used_challenges', 'expires_at <= ?1', now),
  delete_unconfirmed_totp: (now) =>
    deleteExpired(env, 'totp_secrets', `confirmed_at IS NULL AND created_at <= ?1 - ${TOTP_WAITS_MS}`, now),
  delete_old_factor_resets: (now) => deleteExpired(env, 'factor_resets', `expires_at <= ?1 - ${30 * DAY_MS}`, now),
  delete_expired_attempts: (now) => deleteExpired(env, 'attempts', 'window_ends_at <= ?1', now),
  erase_due_people: (now) => eraseDuePeople(env, now),
  remind_of_required_factors: (now) => remindOfRequiredFactors(env, now),
  tell_retiring_readers: async (now) => tellRetiringReaders(env, now),
  tell_old_promises: async (now) => tellOldPromises(env, now),
})

/** Throws at the end if any step failed, so that the platform counts the run as failed. */
export async function runUpkeep(db: D1Database, steps: Steps, now: number): Promise<void> {
  const failed: string[] = []
  for (const [name, run] of Object.entries(steps)) {
    const isDone = await attempt(name, () => run(now))
    const isKept = await attempt(name, () => writeTimes(db, name, now, isDone))
    if (!(isDone && isKept)) failed.push(name)
  }
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
}

async function attempt(step: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (thrown) {
    log({ level: 'error', event: 'upkeep_failed', outcome: step, ...describeThrown(thrown) })
    return false
  }
}

async function writeTimes(db: D1Database, step: string, now: number, isDone: boolean): Promise<void> {
  await db
    .prepare(
      'INSERT INTO upkeep_steps (step, ran_at, done_at) VALUES (?1, ?2, ?3) ON CONFLICT (step) DO UPDATE SET ran_at = ?2, done_at = coalesce(?3, done_at)',
    )
    .bind(step, now, isDone ? now : null)
    .run()
}

async function deliverActs(env: Cloudflare.Env): Promise<void> {
  const open = organisationOpener(env.ORGANISATIONS, readConfig(env).jurisdictions)
  await createActDelivery({ db: env.DB, open, clock: systemClock }).deliverPending()
}

/** The rows that one statement deletes, well within the time limit of a statement. */
const ROWS_AT_ONCE = 5_000

/** Deletes expired rows. @param condition true for an expired row, in SQL with `?1` for now in milliseconds */
async function deleteExpired({ DB }: Cloudflare.Env, table: string, condition: string, now: number): Promise<void> {
  const statement = DB.prepare(
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE})`,
  ).bind(now)
  let deleted = ROWS_AT_ONCE
  while (deleted >= ROWS_AT_ONCE) deleted = (await statement.run()).meta.changes
}

/** Logs each reader's model that its provider ends soon: a warning up to the day, an error after it. */
function tellRetiringReaders(env: Cloudflare.Env, now: number): void {
  for (const { model, retiresOn, daysLeft } of findRetiringReaders(readerRoutes(env), now)) {
    log({
      level: daysLeft < 0 ? 'error' : 'warn',
      event: 'reader_model_retires',
      provider: model.provider,
      model: model.id,
      retires_on: retiresOn,
      days_left: daysLeft,
      remedy:
        'Choose another READER_A_MODEL or READER_B_MODEL and run npm run eval: docs/run-organisations.md, Retire a model',
    })
  }
}

/** Warns of each reader's route whose provider's promise must be read again. */
function tellOldPromises(env: Cloudflare.Env, now: number): void {
  for (const { model, readOn, days } of findOldPromises(readerRoutes(env), now)) {
    log({
      level: 'warn',
      event: 'reader_promise_old',
      provider: model.provider,
      model: model.id,
      read_on: readOn,
      days_since: days,
      remedy: 'Read the provider’s page again and correct the route’s promise in data/models.json',
    })
  }
}

function readerRoutes(env: Cloudflare.Env): ReaderRoutes {
  const { readers, environment } = readConfig(env)
  return chooseReaderRoutes(readers, readEndpointSettings(env, environment))
}

async function remindOfRequiredFactors(env: Cloudflare.Env, now: number): Promise<void> {
  const { signIn } = readConfig(env)
  // A link needs an address, which local services have only in a request.
  if (signIn.publicOrigin === null) return
  const mails = createRequirementMails({
    organisations: new OrganisationsStore(env.DB),
    members: new MembersStore(env.DB, vouchingProviders(signIn)),
    mailer: createMailer(signIn.mail, env.EMAIL),
  })
  await mails.remindDue(signIn.publicOrigin, now)
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
