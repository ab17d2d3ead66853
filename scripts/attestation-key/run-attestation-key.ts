// What npm run attestation-key does, apart from the process in which it does it.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import {
  ATTESTATION_KEY_SETTINGS,
  LOG_KEY_SETTINGS,
  seedSettingOf,
} from '../../src/evidence/records/attestation-keys.ts'
import { keyIdOf } from '../../src/evidence/records/key-id.ts'
import {
  activateKey,
  CHANGE_REFUSALS,
  createKey,
  parseKeyHistory,
  retireKey,
  revokeKey,
  signingKeyAt,
  type Change,
  type HistoricKey,
  type KeyHistory,
} from '../../src/evidence/records/key-history.ts'
import { mintKey } from '../../src/evidence/records/signing-key.ts'
import { openKeyPlace, type KeyPlace, type PublicSetting } from './key-place.ts'
import { createMlDsaKey, describeMlDsaKey, ML_DSA_SETTING, retireMlDsaKey } from './ml-dsa-key.ts'
import { defaultOrigin } from '../../src/public-log/log-config.ts'
import { formatVkey, noteKeyNamed } from '../../src/evidence/checkpoint/note-key.ts'
import { DEV_VARS } from '../local/dev-vars.ts'

const HELP = `npm run attestation-key -- VERB --env production | staging | local [options]

  create [--now]     a new key, published with the next deployment; it signs a day later, or at once with --now
  activate KEY_ID    let a published key sign from now on
  retire KEY_ID      it signs no more, from the next deployment on, for which there is an hour; what it signed stays good
  revoke KEY_ID [--since TIME]
                     somebody else may have it, since TIME (RFC 3339 with its zone; without it, ever since it was made):
                     what it signed from then on is no longer to be trusted by its signature alone. Again with an earlier
                     TIME, should the leak turn out to be older
  list

  --log              of the keys that sign the public log's checkpoints: LOG_KEYS instead of ATTESTATION_KEYS. create and list
                     then say each key as a vkey, which witnesses and readers of the log are given
  --log --ml-dsa-44  of the one that signs them by ML-DSA-44 beside those: LOG_KEY_ML_DSA_44. create, retire (without an id) and
                     list. It signs from the next deployment on
  --config FILE      another file than wrangler.toml, which needs the line ATTESTATION_KEYS = '[]' under [env.ENV.vars];
                     of local, another than .dev.vars, which needs nothing

Every change is made in that file and takes effect with the next deployment, or the next npm start. A seed is never printed.
Exit code: 0 done, 1 refused, 2 not understood.`

const DAY_MS = 86_400_000

class Misunderstood extends Error {}

/** Where what was done is said, and where why it was not. */
type Said = { print: (text: string) => void; report: (text: string) => void }

export function runAttestationKey(args: string[], said: Said): 0 | 1 | 2 {
  try {
    return run(args, said)
  } catch (thrown) {
    if (!(thrown instanceof Misunderstood)) throw thrown
    said.report(thrown.message)
    return 2
  }
}

function run(args: string[], said: Said): 0 | 1 {
  const { values, positionals } = parse(args)
  if (values.help === true) {
    said.print(HELP)
    return 0
  }
  const [verb, keyId] = positionals
  const { config, env: environment } = values
  if (environment === undefined)
    throw new Misunderstood('Say for which environment: --env production, --env staging or --env local.')
  const open = (of: PublicSetting): KeyPlace => {
    const opened = openKeyPlace(environment, config ?? (environment === 'local' ? DEV_VARS : 'wrangler.toml'), of)
    if (!opened.ok) throw new Misunderstood(opened.wrong)
    return opened.place
  }
  if (values['ml-dsa-44'] === true) {
    if (values.log !== true) throw new Misunderstood('--ml-dsa-44 belongs to --log.')
    if (keyId !== undefined || values.now === true || values.since !== undefined) throw new Misunderstood(HELP)
    return runMlDsa(open(ML_DSA_SETTING), verb, said)
  }
  const names = values.log === true ? LOG_KEY_SETTINGS : ATTESTATION_KEY_SETTINGS
  const place = open({ purpose: names.purpose, setting: names.history, empty: '[]' })
  const history = parseKeyHistory(place.written)
  if (history === null) throw new Misunderstood(`${names.history} of ${environment} is not a history of keys.`)
  const now = Date.now()

  const vkeyOf = (key: string): string =>
    values.log === true ? `\n  ${formatVkey(noteKeyNamed(originOf(place), 'ed25519', key))}` : ''
  if (verb === 'list') {
    said.print(describeHistory(history, now, vkeyOf))
    return 0
  }
  if (verb !== 'create')
    return conclude(place, changeKey(history, { verb, keyId, since: values.since }, now), {
      ...said,
      prepare: () => place.next,
    })
  const { seed, publicKey } = mintKey(() => randomBytes(32))
  // The first key has nothing to wait for: nobody has pinned another.
  const isAtOnce = values.now === true || signingKeyAt(history, now) === null
  const change = createKey(history, publicKey, isAtOnce ? now : now + DAY_MS)
  // The seed first: a history without it would be of a key that cannot sign.
  const secret = seedSettingOf(publicKey, names)
  return conclude(place, change, {
    ...said,
    prepare: () => place.keepSeed(secret, seed, publicKey) + vkeyOf(publicKey),
  })
}

function runMlDsa(place: KeyPlace, verb: string | undefined, said: Said): 0 | 1 {
  const origin = originOf(place)
  if (verb === 'list') {
    said.print(describeMlDsaKey(place.written, origin))
    return 0
  }
  if (verb !== 'create' && verb !== 'retire') throw new Misunderstood('--ml-dsa-44 has create, retire and list.')
  const change = verb === 'create' ? createMlDsaKey(place, origin) : retireMlDsaKey(place)
  if (change.done) said.print(change.said)
  else said.report(change.why)
  return change.done ? 0 : 1
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        env: { type: 'string' },
        config: { type: 'string' },
        now: { type: 'boolean' },
        since: { type: 'string' },
        log: { type: 'boolean' },
        'ml-dsa-44': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (thrown) {
    throw new Misunderstood(thrown instanceof Error ? thrown.message : HELP)
  }
}

type Asked = { verb: string | undefined; keyId: string | undefined; since: string | undefined }

function changeKey(history: KeyHistory, { verb, keyId, since }: Asked, now: number): Change {
  if (verb !== 'activate' && verb !== 'retire' && verb !== 'revoke') throw new Misunderstood(HELP)
  if (keyId === undefined) throw new Misunderstood('Say which key: its id, aqta-att-…')
  if (verb === 'revoke') return revokeKey(history, keyId, now, readSince(since))
  if (since !== undefined) throw new Misunderstood('--since belongs to revoke.')
  return verb === 'activate' ? activateKey(history, keyId, now) : retireKey(history, keyId, now)
}

function readSince(text: string | undefined): number | null {
  if (text === undefined) return null
  // Date.parse counts a day that its month does not have into the next, and what was signed between would be believed.
  if (!z.iso.datetime({ offset: true }).safeParse(text).success) {
    throw new Misunderstood('--since takes a real day and time with its zone, such as 2026-11-20T05:00:00Z.')
  }
  return Date.parse(text)
}

/** `prepare`: what is done before the history is written; what it says is said. */
function conclude(
  place: KeyPlace,
  change: Change,
  { print, report, prepare }: Said & { prepare: () => string },
): 0 | 1 {
  if (!change.done) {
    report(CHANGE_REFUSALS[change.refusal])
    return 1
  }
  const next = prepare()
  place.write(JSON.stringify(change.history))
  print(`${describeKey(change.key)}\n${next}`)
  return 0
}

/** The name of the log, as the service works it out (src/public-log/log-config.ts). */
function originOf(place: KeyPlace): string {
  return place.setting('LOG_ORIGIN') ?? defaultOrigin(place.setting('PUBLIC_ORIGIN'))
}

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
