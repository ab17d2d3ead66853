// npm run attestation-key: creates, activates, retires, revokes and lists the service's signing keys. They sign attestations or,
// with --log, the public log's checkpoints. Never prints a seed.
import * as z from 'zod'
import { ATTESTATION_KEY_SETTINGS, LOG_KEY_SETTINGS } from '../src/evidence/records/configured-keys.ts'
import {
  activateKey,
  CHANGE_REFUSALS,
  retireKey,
  revokeKey,
  signingKeyAt,
  type HistoryChange,
  type KeyHistory,
} from '../src/evidence/records/key-history.ts'
import { addKey, describeKey, openKeyStorage, type KeyStorage } from './attestation-key/key-storage.ts'
import { readCommandLine, Refusal, TERMINAL, UsageError, usageOf, type Output } from './command-line.ts'
import { DEV_VARS } from './local/dev-vars.ts'
import { refuseUnsafeFile } from './secrets/secrets-file.ts'

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
  --secrets FILE       the new seed goes into this file of npm run secrets, not a temporary one

A change takes effect with the next deployment, or the next npm start for local.

Examples:
  npm run attestation-key -- list --env local
  npm run attestation-key -- create --env production --secrets secrets.production.env

Exit codes: 0 done, 1 refused, 2 wrong command line.`

const DAY_MS = 86_400_000

const OPTIONS = {
  env: { type: 'string' },
  config: { type: 'string' },
  now: { type: 'boolean' },
  since: { type: 'string' },
  log: { type: 'boolean' },
  secrets: { type: 'string' },
} as const

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
  const { config, env: environment, log: isLog = false, secrets, since } = values
  if (environment === undefined) throw new UsageError('Add --env production, --env staging or --env local.')
  if (secrets !== undefined && (environment === 'local' || verb !== 'create'))
    throw new UsageError('Use --secrets only to create a key of a deployment.')
  const file = config ?? (environment === 'local' ? DEV_VARS : 'wrangler.toml')
  const opened = openKeyStorage({ environment, file, secrets }, isLog ? LOG_KEY_SETTINGS : ATTESTATION_KEY_SETTINGS)
  if (!opened.ok) throw new UsageError(opened.wrong)
  const { place } = opened
  const now = Date.now()

  if (verb === 'list') return describeHistory(place, now)
  if (verb !== 'create') return write(place, changeKey(place.history, { verb, keyId, since }, now))
  if (secrets !== undefined) refuseUnsafeFile(secrets)
  // The first key need not wait, because nobody has pinned another key.
  const isAtOnce = values.now === true || signingKeyAt(place.history, now) === null
  const { key, next } = addKey(place, isAtOnce ? now : now + DAY_MS)
  return `${describeKey(place, key)}\n${next}`
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

function write(place: KeyStorage, change: HistoryChange): string {
  if (!change.done) throw new Refusal(CHANGE_REFUSALS[change.refusal])
  place.write(change.history)
  return `${describeKey(place, change.key)}\n${place.next}`
}

function describeHistory(place: KeyStorage, now: number): string {
  const signing = signingKeyAt(place.history, now)
  const lines = place.history.map((key) => describeKey(place, key, key === signing ? '  signs now' : ''))
  return lines.length === 0 ? 'none' : lines.join('\n')
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = runAttestationKey(process.argv.slice(2), TERMINAL)
}
