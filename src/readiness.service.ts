// Looks at what a deployment lacks. The checks are in the order in which an operator mends what they find. A check reads; it makes
// no object, and calls no provider: a key is there, which does not say that it is valid.
import { compareTables } from './health.service.ts'
import { dailyUpkeep } from './daily-upkeep.ts'
import { configuredKeys, createSigner, readConfiguredKeys } from './evidence/records/configured-keys.ts'
import { ConfigError, readConfig, type Config } from './platform/config.ts'
import { createMailer } from './platform/mail.ts'
import { HOUR_MS, MINUTE_MS, TimeLimitError, withTimeLimit } from './platform/time.ts'
import { describeSoftware, presentSoftware } from './platform/build.ts'
import { logUnexpected } from './platform/log.ts'
import { assertJurisdictions } from './platform/durable-object.ts'
import { PublicLogFiles } from './public-log/public-log-files.store.ts'
import { readLogConfig } from './public-log/public-log-config.ts'
import { readEndpointSettings } from './providers/endpoint-settings.ts'
import { ENDPOINTS, settingPrefix } from './providers/provider-registry.ts'
import { chooseReaderRoutes } from './referral/readers/reader-routes.ts'
import { findRetiringReaders } from './referral/readers/readers-upkeep.policy.ts'
import { SAMPLE_SHA256 } from './referral/waiting-lists/publication.policy.ts'
import { createWaitingListStore } from './referral/waiting-lists/waiting-lists.store.ts'
import {
  daysSince,
  describeRate,
  fail,
  isReady,
  pass,
  unknown,
  warn,
  type CheckAnswer,
  type Readiness,
  type ReadinessCheck,
} from './readiness.schema.ts'

/** Each check gets this long, and all are asked at once. */
const LIMIT_MS = 2000

/** @param fault why the service did not start, if it did not: the other checks tell the rest all the same */
export async function lookAtReadiness(
  env: Cloudflare.Env,
  { fault, now, requestId }: { fault: ConfigError | null; now: number; requestId: string },
): Promise<Readiness> {
  const facts = readFacts(env, fault, now)
  const checks = await Promise.all(Object.entries(CHECKS).map(([id, check]) => ask(id, () => check(facts), requestId)))
  const software = presentSoftware(describeSoftware(env, facts.config?.environment ?? 'unknown'))
  return { object: 'readiness', ready: isReady(checks), checked_at: new Date(now).toISOString(), software, checks }
}

async function ask(
  id: string,
  check: () => CheckAnswer | Promise<CheckAnswer>,
  requestId: string,
): Promise<ReadinessCheck> {
  try {
    return { id, ...(await withTimeLimit((async () => check())(), LIMIT_MS)) }
  } catch (thrown) {
    if (thrown instanceof TimeLimitError) {
      const seen = `no answer within ${LIMIT_MS / 1000} seconds`
      return { id, ...unknown(seen, 'Ask again. If it stays, look at the platform’s status.') }
    }
    logUnexpected(thrown, requestId)
    return { id, ...unknown('it failed', `Find unexpected_error of ${requestId} in the log.`) }
  }
}

/** `config`: null where the settings cannot be read, and `fault` says which. */
type Facts = { env: Cloudflare.Env; now: number; config: Config | null; fault: ConfigError | null }

function readFacts(env: Cloudflare.Env, fault: ConfigError | null, now: number): Facts {
  try {
    return { env, now, config: readConfig(env), fault }
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return { env, now, config: null, fault: thrown }
  }
}

type ConfiguredFacts = Facts & { config: Config }

/** A check that needs the settings. */
const withConfig =
  (check: (facts: ConfiguredFacts) => CheckAnswer | Promise<CheckAnswer>) =>
  async (facts: Facts): Promise<CheckAnswer> =>
    facts.config === null
      ? unknown('the settings cannot be read', 'Correct the settings first.')
      : check({ ...facts, config: facts.config })

/** The publisher's files come every month. */
const FIGURES_GOOD_DAYS = 45
const CHECKPOINT_GOOD_MS = 5 * MINUTE_MS
const UPKEEP_GOOD_MS = 26 * HOUR_MS

const BINDINGS = [
  'ASSETS',
  'DATASETS',
  'FILES',
  'DB',
  'ORGANISATIONS',
  'PUBLIC_LOG',
  'PUBLIC_LOG_INDEX',
  'SIGN_IN_SIEVE',
] as const satisfies (keyof Cloudflare.Env)[]

const CHECKS = {
  settings: ({ config, fault }: Facts) =>
    fault === null
      ? pass(`environment ${config?.environment ?? ''}`)
      : fail(fault.settings.join(', '), 'everything: each request gets 503', fault.message),

  address: withConfig(({ config: { environment, signIn } }) => {
    if (environment === 'local') return pass('local: the address that is asked')
    const host = signIn.publicOrigin === null ? '' : new URL(signIn.publicOrigin).hostname
    return /(^|\.)(example|invalid|test)$/.test(host)
      ? fail(`PUBLIC_ORIGIN is a placeholder: ${host}`, 'sign-in and mailed links', 'Set it before people sign in.')
      : pass(`PUBLIC_ORIGIN is ${host}`)
  }),

  bindings: ({ env }: Facts) => {
    const missing = BINDINGS.filter((name) => env[name] === undefined)
    return missing.length === 0
      ? pass('all are there')
      : fail(`not bound: ${missing.join(', ')}`, 'what needs them', 'Put them back into wrangler.toml, and deploy.')
  },

  jurisdiction: withConfig(({ env, config: { jurisdictions } }) => {
    if (!jurisdictions) return warn('JURISDICTIONS is off', 'Set it to on, unless this is your own machine.')
    assertJurisdictions(env.ORGANISATIONS)
    return pass('the runtime binds objects to the European Union')
  }),

  tables: async ({ env }: Facts) => {
    const { missing, newer } = await compareTables(env.DB)
    if (missing.length > 0)
      return fail(
        `not applied, or with another text: ${missing.join(', ')}`,
        'sign-in, organisations and keys',
        'npm run deploy -- --env ENV applies them.',
      )
    if (newer.length > 0) return warn(`of a newer release: ${newer.join(', ')}`, 'Deploy the newer release again.')
    return pass('all migrations of this release are applied')
  },

  files: async ({ env }: Facts) => {
    await env.FILES.head('readyz')
    return pass('the bucket answers')
  },

  signing_key: withConfig(({ env, config, now }) => {
    const keys = configuredKeys(env, config)
    const wrong = keys?.isThrowAway === true ? [] : readConfiguredKeys({ ...env }).wrong
    return describeKeys({ setting: 'ATTESTATION_KEYS', option: '', keys, wrong, now, blocks: 'chat calls and exports' })
  }),

  log_key: withConfig(({ env, config, now }) => {
    const { log, wrong } = readLogConfig({ ...env }, config)
    const blocks = 'checkpoints of the public log'
    const told = describeKeys({ setting: 'LOG_KEYS', option: ' --log', keys: log?.keys ?? null, wrong, now, blocks })
    return told.state === 'pass' && log?.witnesses.length === 0
      ? warn(`${told.seen}; nobody cosigns`, 'docs/run-witnesses.md')
      : told
  }),

  public_log: async ({ env, now }: Facts) => {
    const served = await new PublicLogFiles(env.FILES).readCheckpoint()
    if (served === null) return warn('there is no checkpoint yet', 'The first record makes one.')
    const age = now - served.signedAt
    const seen = `the checkpoint is ${Math.round(age / 1000)} seconds old`
    // A time that is no number is not good either.
    return !(Math.abs(age) <= CHECKPOINT_GOOD_MS)
      ? fail(seen, 'proofs of new records', 'Find public_log_failed in the log: docs/log-lines.md')
      : pass(seen)
  },

  upkeep: withConfig(async ({ env, config, now }) => {
    if (config.environment === 'local') return pass('a local service runs none')
    const { results } = await env.DB.prepare('SELECT step, done_at FROM upkeep_steps').all<UpkeepRow>()
    const deployedAt = Date.parse(env.VERSION?.timestamp ?? '')
    return describeUpkeep(results, Object.keys(dailyUpkeep(env)), deployedAt, now)
  }),

  figures: async ({ env, now }: Facts) => {
    const store = createWaitingListStore({ kv: env.DATASETS, r2: env.FILES })
    const found = await store.lookUpPointer()
    const publish = 'npm run data:publish -- FILE --published-on DATE --remote: docs/publish-figures.md'
    if (found.outcome === 'unavailable') return unknown('the storage of figures does not answer', 'Ask again.')
    if (found.outcome === 'no_dataset') return fail('no figures are published', 'waiting lists and readings', publish)
    if ((await store.readManifest(found.pointer)) === null)
      return fail('the version that is served is not stored', 'waiting lists and readings', publish)
    const { archiveDate, hash } = found.pointer.version
    if (hash === SAMPLE_SHA256) return warn('the figures are the invented sample', publish)
    const days = daysSince(archiveDate, now)
    const seen = `figures of ${archiveDate}, ${days} days old`
    return days > FIGURES_GOOD_DAYS ? warn(seen, publish) : pass(seen)
  },

  readers: withConfig(({ env, config, now }) => {
    const endpoints = readEndpointSettings(env, config.environment)
    const routes = chooseReaderRoutes(config.readers, endpoints)
    const lacking = routes.filter(({ endpoint }) => endpoints[endpoint].apiKey === null)
    if (lacking.length > 0) {
      const names = lacking.map(({ endpoint }) => `${settingPrefix(endpoint)}_API_KEY`)
      return fail(`${names.join(', ')} not set`, 'live readings', 'Add them to the file of secrets, and deploy.')
    }
    const [retiring] = findRetiringReaders(routes, now).toSorted((a, b) => a.daysLeft - b.daysLeft)
    if (retiring === undefined) return pass(`keys for ${routes.map(({ id }) => id).join(' and ')} are there`)
    const seen = `${retiring.model.id} ends on ${retiring.retiresOn}`
    const remedy = 'docs/run-organisations.md, Retire a model'
    return retiring.daysLeft < 0 ? fail(seen, 'a yes: every live reading is ask', remedy) : warn(seen, remedy)
  }),

  providers: withConfig(({ env, config }) => {
    const endpoints = readEndpointSettings(env, config.environment)
    const set = ENDPOINTS.filter(({ id }) => endpoints[id].apiKey !== null).map(({ id }) => id)
    return set.length === 0
      ? fail('no provider has a key', 'calls to models', 'Add one to the file of secrets, and deploy.')
      : pass(`keys for ${set.join(', ')} are there`)
  }),

  mail: withConfig(({ env, config: { signIn } }) => {
    if (signIn.mail.sender === 'none') return warn('no mailer: links are passed on by hand', 'docs/send-mail.md')
    createMailer(signIn.mail, env.EMAIL)
    return pass(`MAILER is ${signIn.mail.sender}`)
  }),

  rate: withConfig(({ config: { eurPerUsd }, now }) => describeRate(eurPerUsd.date, now)),

  operator_token: withConfig(({ config: { operatorTokens } }) =>
    operatorTokens.length > 1
      ? warn('two are accepted', 'When the log has no old_operator_token any more, end the old one.')
      : pass('one is accepted'),
  ),
} as const

type KeysSeen = {
  setting: string
  option: string
  keys: Parameters<typeof createSigner>[0] | null
  wrong: readonly string[]
  now: number
  blocks: string
}

function describeKeys({ setting, option, keys, wrong, now, blocks }: KeysSeen): CheckAnswer {
  if (keys === null)
    return fail(
      wrong.length > 0 ? `wrong: ${wrong.join(', ')}` : `${setting} has no key`,
      blocks,
      'npm run secrets -- --env ENV, then deploy.',
    )
  const isSigning = createSigner(keys).nameAt(now) !== null
  const put = 'Add the seed from your copy to the file of secrets and deploy, or retire the key.'
  if (wrong.length > 0)
    return isSigning
      ? warn(`a key signs; no seed fits in ${wrong.join(', ')}`, put)
      : fail(`no seed fits in ${wrong.join(', ')}`, blocks, put)
  if (!isSigning)
    return fail('no key signs yet', blocks, `npm run attestation-key -- activate KEY_ID${option} --env ENV`)
  return pass(keys.isThrowAway ? 'a key of this machine signs' : `${keys.history.length} published, one signs`)
}

type UpkeepRow = { step: string; done_at: number | null }

/** A step that was never done is awaited since the tables were made, and since this version was deployed where that is known. */
function describeUpkeep(
  rows: readonly UpkeepRow[],
  steps: readonly string[],
  deployedAt: number,
  now: number,
): CheckAnswer {
  const doneAt = new Map(rows.map(({ step, done_at: at }) => [step, at]))
  const awaitedSince = Math.max(doneAt.get('tables_made') ?? 0, deployedAt || 0)
  const since = (step: string) => (doneAt.has(step) ? (doneAt.get(step) ?? 0) : awaitedSince)
  const late = steps.filter((step) => now - since(step) > UPKEEP_GOOD_MS)
  const isAwaited = !steps.some((step) => doneAt.has(step))
  if (late.length === 0) return pass(isAwaited ? 'awaits its first run' : 'every step was done within 26 hours')
  return fail(
    isAwaited ? 'it has never run' : `not done within 26 hours: ${late.join(', ')}`,
    'deletion of what expired',
    'Find upkeep_failed in the log, and the Worker’s cron trigger in the dashboard.',
  )
}
