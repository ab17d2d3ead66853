// npm run attestation-key: creates, activates, retires, revokes and lists the service's signing keys. They sign attestations or,
// with --log, the public log's checkpoints. Never prints a seed.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { ATTESTATION_KEY_SETTINGS, LOG_KEY_SETTINGS, seedSettingOf } from '../src/evidence/records/configured-keys.ts'
import { keyIdOf } from '../src/evidence/records/ed25519.ts'
import {
  activateKey,
  CHANGE_REFUSALS,
  createKey,
  parseKeyHistory,
  retireKey,
  revokeKey,
  signingKeyAt,
  type HistoryChange,
  type HistoricKey,
  type KeyHistory,
} from '../src/evidence/records/key-history.ts'
import { mintKey } from '../src/evidence/records/signing-key.ts'
import { formatVkey, noteKeyFromBase64url } from '../src/evidence/checkpoint/note-key.ts'
import { defaultOrigin } from '../src/public-log/public-log-config.ts'
import { openKeyStorage, type KeyStorage } from './attestation-key/key-storage.ts'
import { readCommandLine, TERMINAL, UsageError, usageOf, type Output } from './command-line.ts'
import { DEV_VARS } from './local/dev-vars.ts'

const HELP = `Usage: npm run attestation-key -- VERB --env production|staging|local [options]

Creates, activates, retires, revokes and lists the service's signing keys; never prints a seed.

  create [--now]       creates a key that signs a day later; the first one signs at once
  activate KEY_ID      lets a published key sign now
  retire KEY_ID        ends signing with this key; deploy within an hour; old signatures stay valid
  revoke KEY_ID [--since TIME]
                       marks the key as stolen since TIME (default since its creation); repeat it
                       with an earlier TIME if needed
  list

  --env ENV            the environment to change
  --now                the new key signs at once
  --since TIME         with its zone, such as 2026-11-20T05:00:00Z
  --log                the public log's keys (LOG_KEYS); create and list print each vkey
  --config FILE        the file to change (default wrangler.toml; .dev.vars for local)

A change takes effect with the next deployment, or the next npm start for local.

Examples:
  npm run attestation-key -- list --env local
  npm run attestation-key -- create --env production

Exit codes: 0 done, 1 refused, 2 wrong command line.`

const DAY_MS = 86_400_000

const OPTIONS = {
  env: { type: 'string' },
  config: { type: 'string' },
  now: { type: 'boolean' },
  since: { type: 'string' },
  log: { type: 'boolean' },
} as const

/** Thrown if the change is not possible. */
class Refusal extends Error {}

export function runAttestationKey(args: string[], { print, report }: Output): 0 | 1 | 2 {
  try {
    print(run(args))
    return 0
  } catch (thrown) {
    if (!(thrown instanceof UsageError || thrown instanceof Refusal)) throw thrown
    report(thrown.message)
    return thrown instanceof Refusal ? 1 : 2
  }
}

/** Runs a command and returns the text to print. Throws UsageError or Refusal. */
function run(args: string[]): string {
  const { values, positionals } = readCommandLine(args, OPTIONS)
  if (values.help === true) return HELP
  const [verb, keyId] = positionals
  const { config, env: environment, log: isLog = false, since } = values
  if (environment === undefined) throw new UsageError('Add --env production, --env staging or --env local.')
  const names = isLog ? LOG_KEY_SETTINGS : ATTESTATION_KEY_SETTINGS
  const file = config ?? (environment === 'local' ? DEV_VARS : 'wrangler.toml')
  const opened = openKeyStorage(environment, file, { purpose: names.purpose, setting: names.history })
  if (!opened.ok) throw new UsageError(opened.wrong)
  const { place } = opened
  const history = parseKeyHistory(place.written)
  if (history === null)
    throw new UsageError(`${names.history} of ${environment} is not a list of keys. Correct it first.`)
  const now = Date.now()
  const vkeyOf = (key: string): string =>
    isLog ? `\n  ${formatVkey(noteKeyFromBase64url(originOf(place), 'ed25519', key))}` : ''

  if (verb === 'list') return describeHistory(history, now, vkeyOf)
  if (verb !== 'create') return write(place, changeKey(history, { verb, keyId, since }, now), () => place.next)
  const { seed, publicKey } = mintKey(() => randomBytes(32))
  // The first key need not wait, because nobody has pinned another key.
  const isAtOnce = values.now === true || signingKeyAt(history, now) === null
  const change = createKey(history, publicKey, isAtOnce ? now : now + DAY_MS)
  const secret = seedSettingOf(publicKey, names)
  return write(place, change, () => place.storeSeed(secret, seed, publicKey) + vkeyOf(publicKey))
}

type ChangeRequest = { verb: string | undefined; keyId: string | undefined; since: string | undefined }

function changeKey(history: KeyHistory, { verb, keyId, since }: ChangeRequest, now: number): HistoryChange {
  if (verb !== 'activate' && verb !== 'retire' && verb !== 'revoke')
    throw new UsageError(`Name a verb: create, activate, retire, revoke or list.\n${usageOf(HELP)}`)
  if (keyId === undefined) throw new UsageError('Add the key’s id, aqta-att-….')
  if (verb === 'revoke') return revokeKey(history, keyId, now, readSince(since))
  if (since !== undefined) throw new UsageError('Use --since only with revoke.')
  return verb === 'activate' ? activateKey(history, keyId, now) : retireKey(history, keyId, now)
}

function readSince(text: string | undefined): number | null {
  if (text === undefined) return null
  // Date.parse turns an impossible day, such as 31 April, into one of the next month. Signatures in between would be trusted.
  if (!z.iso.datetime({ offset: true }).safeParse(text).success) {
    throw new UsageError('--since needs a time with its zone, such as 2026-11-20T05:00:00Z.')
  }
  return Date.parse(text)
}

/** `prepare` stores the seed before the history is written. Otherwise the history could name a key without a seed. */
function write(place: KeyStorage, change: HistoryChange, prepare: () => string): string {
  if (!change.done) throw new Refusal(CHANGE_REFUSALS[change.refusal])
  const next = prepare()
  place.write(JSON.stringify(change.history))
  return `${describeKey(change.key)}\n${next}`
}

/** The name of the log, as the service derives it. */
const originOf = (place: KeyStorage): string =>
  place.setting('LOG_ORIGIN') ?? defaultOrigin(place.setting('PUBLIC_ORIGIN'))

function describeHistory(history: KeyHistory, now: number, vkeyOf: (publicKey: string) => string): string {
  const signing = signingKeyAt(history, now)
  const lines = history.map((key) => describeKey(key) + (key === signing ? '  signs now' : '') + vkeyOf(key.public_key))
  return lines.length === 0 ? 'none' : lines.join('\n')
}

function describeKey({ public_key: publicKey, status, ...times }: HistoricKey): string {
  const { valid_from: from, valid_until: until, suspected_since: suspected } = times
  const ended = until === null ? '' : ` until ${until}`
  const doubted = suspected === undefined ? '' : `  suspected since ${suspected}`
  return `${keyIdOf(publicKey)}  ${publicKey}  ${status.padEnd(7)}  from ${from}${ended}${doubted}`
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = runAttestationKey(process.argv.slice(2), TERMINAL)
}
