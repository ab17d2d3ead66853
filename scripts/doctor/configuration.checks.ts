// Judges the configuration of a deployment before it is uploaded, without a network. Each check is a pure function of the facts.
import {
  ATTESTATION_KEY_SETTINGS,
  LOG_KEY_SETTINGS,
  readConfiguredKeys,
  seedSettingOf,
  type KeySettings,
} from '../../src/evidence/records/configured-keys.ts'
import { parseKeyHistory, signingKeyAt } from '../../src/evidence/records/key-history.ts'
import { ConfigError } from '../../src/platform/config.ts'
import { describeRate, fail, pass, unknown, warn, type CheckAnswer } from '../../src/readiness.schema.ts'
import { findNeededSecrets, type NeededSecret } from '../needed-secrets.ts'
import { findPlaceholdersIn } from '../wrangler-settings.ts'
import type { ConfigurationFacts, KnownSecrets } from './read-configuration.ts'

const DEPLOYMENT = 'the deployment'
const EVERYTHING = 'everything: each request gets 503'

export const CONFIGURATION_CHECKS = {
  placeholders({ config }: ConfigurationFacts) {
    const places = findPlaceholdersIn(config)
    return places.length === 0
      ? pass('none is left')
      : fail(places.join(', '), DEPLOYMENT, 'Write your own address and ids over them in wrangler.toml: docs/deploy.md')
  },

  address({ config: { routes, vars } }: ConfigurationFacts) {
    const origin = textOf(vars['PUBLIC_ORIGIN'])
    const host = URL.canParse(origin) ? new URL(origin).host : origin
    return routes.includes(host)
      ? pass(`${host}, as in routes`)
      : fail(
          `PUBLIC_ORIGIN is ${origin}, and routes has ${routes.join(', ') || 'none'}`,
          'sign-in and mailed links',
          'Write the same host in both.',
        )
  },

  only_address({ config: { workers_dev: dev, preview_urls: previews } }: ConfigurationFacts) {
    return dev === false && previews === false
      ? pass('no other address')
      : fail('workers_dev or preview_urls is on', 'what the zone protects', 'Set both to false in wrangler.toml.')
  },

  strictly_public({ config: { compatibility_flags: flags } }: ConfigurationFacts) {
    const flag = 'global_fetch_strictly_public'
    return flags.includes(flag)
      ? pass('requests to your own zone go through it')
      : fail(`${flag} is missing`, 'what the zone protects from webhooks', 'Put it back into compatibility_flags.')
  },

  jurisdiction({ config: { vars, r2_buckets: buckets } }: ConfigurationFacts) {
    const outside = buckets
      .filter(({ jurisdiction }) => jurisdiction !== 'eu')
      .map((bucket) => `bucket ${bucket.bucket_name}`)
    const wrong = [...(vars['JURISDICTIONS'] === 'on' ? [] : ['JURISDICTIONS is not on']), ...outside]
    return wrong.length === 0
      ? pass('objects and buckets in the European Union; of D1 only the account knows')
      : fail(
          wrong.join(', '),
          'storage in the European Union',
          'Set JURISDICTIONS to on, and make buckets with --jurisdiction eu.',
        )
  },

  storage_ids({ config: { kv_namespaces: kv, d1_databases: d1 } }: ConfigurationFacts) {
    const missing = [...kv.filter(({ id }) => !id), ...d1.filter(({ database_id: id }) => !id)]
    return missing.length === 0
      ? pass('each storage has an id')
      : fail(
          `no id: ${missing.map(({ binding }) => binding).join(', ')}`,
          'storage in the European Union: wrangler would make one elsewhere',
          'Make it with --jurisdiction eu, and write its id into wrangler.toml.',
        )
  },

  bindings({ environment, notRepeated }: ConfigurationFacts) {
    return notRepeated.length === 0
      ? pass('all that the top of wrangler.toml has')
      : fail(
          `no ${notRepeated.join(', ')}`,
          DEPLOYMENT,
          `Repeat them under [env.${environment}]: it does not inherit them.`,
        )
  },

  not_shared({ shared }: ConfigurationFacts) {
    return shared.length === 0
      ? pass('each environment has its own Worker, storage and limits')
      : fail(`used twice: ${shared.join(', ')}`, 'what the other environment has', 'Give each environment its own.')
  },

  migrations({ migrations: { names, edited } }: ConfigurationFacts) {
    const gaps = names.filter((name, at) => Number(name.slice(0, 4)) !== at + 1)
    const wrong = [...edited.map((name) => `${name} was edited`), ...gaps.map((name) => `${name} does not follow`)]
    return wrong.length === 0
      ? pass(`${names.length} of this release`)
      : fail(wrong.join(', '), DEPLOYMENT, 'Undo that, and put a change into a new file.')
  },

  settings: (facts: ConfigurationFacts) => {
    const { needed, fault } = judge(facts)
    const { environment, config } = facts
    if (config.vars['ENVIRONMENT'] !== environment)
      return fail('ENVIRONMENT is another one', 'what is stricter there', `Set ENVIRONMENT to ${environment}.`)
    return needed === null
      ? fail(fault.settings.join(', '), EVERYTHING, fault.message)
      : pass('the service starts with them')
  },

  secrets_in_file({ config: { vars } }: ConfigurationFacts) {
    const told = Object.keys(vars).filter((name) => IS_SECRET.test(name))
    return told.length === 0
      ? pass('none')
      : fail(
          `in wrangler.toml: ${told.join(', ')}`,
          'the secret: the history of the file has it',
          'Take it out, and replace it where it is from.',
        )
  },

  secrets: withSecrets(({ config, secrets, ...facts }) => {
    const { needed } = judge({ ...facts, config, secrets })
    const names = [
      ...config.secrets.required,
      ...(needed ?? []).map(({ name }) => name).filter((name) => !IS_PROVIDERS.test(name)),
    ]
    const missing = names.filter((name) => !(name in secrets))
    const expanded = Object.entries(secrets).flatMap(([name, value]) => (value?.includes('$') === true ? [name] : []))
    if (missing.length > 0)
      return fail(`missing: ${missing.join(', ')}`, EVERYTHING, `npm run secrets -- --env ${facts.environment}`)
    return expanded.length === 0
      ? pass(`${Object.keys(secrets).length} are there`)
      : fail(
          `a dollar sign in ${expanded.join(', ')}`,
          'what needs them: wrangler replaces it',
          'Use a value without one: ask the provider for another.',
        )
  }),

  signing_key: (facts: ConfigurationFacts) => describeKey(facts, ATTESTATION_KEY_SETTINGS, 'chat calls and exports'),

  log_key: (facts: ConfigurationFacts) => describeKey(facts, LOG_KEY_SETTINGS, 'checkpoints of the public log'),

  readers: withSecrets((facts) => {
    const lacking = (judge(facts).needed ?? []).filter(({ name }) => IS_PROVIDERS.test(name))
    return lacking.length === 0
      ? pass('both have a key')
      : fail(
          lacking.map(({ name, why }) => `${name} is missing: ${why}`).join(', '),
          'live readings',
          'Add it to the file of secrets.',
        )
  }),

  mail({ config: { vars, send_email: bindings } }: ConfigurationFacts) {
    const mailer = textOf(vars['MAILER']) || 'none'
    if (mailer === 'none') return warn('no mailer: links are passed on by hand', 'docs/send-mail.md')
    return mailer === 'cloudflare' && !bindings.some(({ name }) => name === 'EMAIL')
      ? fail(
          'MAILER is cloudflare, and [[send_email]] is missing',
          EVERYTHING,
          'Uncomment it in wrangler.toml: docs/send-mail.md',
        )
      : pass(`MAILER is ${mailer}`)
  },

  rate: ({ config: { vars }, now }: ConfigurationFacts) => describeRate(textOf(vars['EUR_PER_USD_DATE']) || null, now),
} as const satisfies Record<string, (facts: ConfigurationFacts) => CheckAnswer>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const IS_SECRET = /_SEED_|_API_KEY$|^OAUTH_SECRET_|^KEY_PEPPERS$|^OPERATOR_TOKEN$|^MAILER_KEY$/
const IS_PROVIDERS = /_API_KEY$/

type KnownFacts = ConfigurationFacts & { secrets: KnownSecrets }

/** A check that needs to know what secrets there are. */
function withSecrets(check: (facts: KnownFacts) => CheckAnswer) {
  return (facts: ConfigurationFacts): CheckAnswer =>
    facts.secrets === null
      ? unknown(
          'nobody said which secrets there are',
          'Add --secrets FILE, which npm run secrets makes, or sign in with npx wrangler login.',
        )
      : check({ ...facts, secrets: facts.secrets })
}

/** Asks the service's own code about the settings, with stand-ins for secrets of which only the name is known. */
function judge({
  config,
  secrets,
}: ConfigurationFacts): { needed: NeededSecret[]; fault: null } | { needed: null; fault: ConfigError } {
  const known = Object.entries(secrets ?? {})
  const values = Object.fromEntries(known.filter(([, value]) => value !== null))
  try {
    const needed = findNeededSecrets({ ...config.vars, ...values }).filter(
      ({ name }) => !known.some(([one]) => one === name),
    )
    return { needed, fault: null }
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return { needed: null, fault: thrown }
  }
}

function describeKey(facts: ConfigurationFacts, names: KeySettings, blocks: string): CheckAnswer {
  const { config, secrets, now, environment } = facts
  const option = names === LOG_KEY_SETTINGS ? ' --log' : ''
  const history = parseKeyHistory(textOf(config.vars[names.history]))
  if (history === null || history.length === 0)
    return fail(`${names.history} has no key`, blocks, `npm run secrets -- --env ${environment}`)
  if (signingKeyAt(history, now) === null)
    return fail('no key signs now', blocks, `npm run attestation-key -- activate KEY_ID${option} --env ${environment}`)
  return withSecrets(({ secrets: known }) => {
    const wanted = history
      .filter(({ status }) => status === 'active')
      .map(({ public_key: key }) => seedSettingOf(key, names))
    const missing = wanted.filter((name) => !(name in known))
    const hasValues = Object.values(known).some((value) => value !== null)
    const { wrong } = hasValues ? readConfiguredKeys({ ...config.vars, ...known }, names) : { wrong: [] }
    const bad = [
      ...missing.map((name) => `${name} is missing`),
      ...wrong.flatMap((name) => (missing.includes(name) ? [] : [`${name} fits no published key`])),
    ]
    if (bad.length > 0)
      return fail(
        bad.join(', '),
        blocks,
        `Add it from your copy, or: npm run attestation-key -- create --now${option} --env ${environment} --secrets FILE`,
      )
    const published = new Set(history.map(({ public_key: key }) => seedSettingOf(key, names)))
    const orphans = Object.keys(known).filter((name) => name.startsWith(names.seed) && !published.has(name))
    return orphans.length === 0
      ? pass(`one signs, and its seed is ${hasValues ? 'the right one' : 'there'}`)
      : warn(`of no published key: ${orphans.join(', ')}`, 'Delete it, or put its public key back.')
  })({ ...facts, secrets })
}
