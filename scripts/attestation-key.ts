// npm run attestation-key: creates, activates, retires, revokes and lists the keys that sign attestations. The public
// history is a line of wrangler.toml; a seed goes into a file that only its owner can read, on its way to a secret.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seedSettingOf } from '../src/attestation/attestation-keys.ts'
import { keyIdOf } from '../src/attestation/key-id.ts'
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
} from '../src/attestation/key-history.ts'
import { publicKeyOf } from '../src/attestation/signing-key.ts'
import { readSetting, writeSetting } from './attestation-key/wrangler-setting.ts'

const HELP = `npm run attestation-key -- VERB --env production | staging [options]

  create [--now]     a new key, published with the next deployment; it signs a day later, or at once with --now
  activate KEY_ID    let a published key sign from now on
  retire KEY_ID      it signs no more; what it signed stays good
  revoke KEY_ID [--since TIME]
                     somebody else may have it, since TIME (RFC 3339 with its zone; without it, ever since it was made):
                     what it signed from then on is no longer to be trusted by its signature alone
  list

  --config FILE      another file than wrangler.toml. It needs the line ATTESTATION_KEYS = '[]' under [env.ENV.vars]

Every change is made in that file and takes effect with the next deployment. A seed is never printed.
Exit code: 0 done, 1 refused, 2 not understood.`

const SETTING = 'ATTESTATION_KEYS'
const DAY_MS = 86_400_000

class Misunderstood extends Error {}

process.exitCode = main()

function main(): 0 | 1 | 2 {
  try {
    return run(process.argv.slice(2))
  } catch (thrown) {
    if (!(thrown instanceof Misunderstood)) throw thrown
    console.error(thrown.message)
    return 2
  }
}

function run(args: string[]): 0 | 1 {
  const { values, positionals } = parse(args)
  if (values.help === true) {
    console.log(HELP)
    return 0
  }
  const [verb, keyId] = positionals
  const { config, env: environment } = values
  if (environment === undefined)
    throw new Misunderstood('Say for which environment: --env production or --env staging.')
  const toml = readFileSync(config, 'utf8')
  const history = readHistory(toml, config, environment)
  const now = Date.now()

  if (verb === 'list') {
    console.log(describeHistory(history, now))
    return 0
  }
  if (verb === 'create') {
    const seed = randomBytes(32)
    const publicKey = publicKeyOf(seed)
    // The first key has nothing to wait for: nobody has pinned another.
    const isAtOnce = values.now === true || signingKeyAt(history, now) === null
    const change = createKey(history, publicKey, isAtOnce ? now : now + DAY_MS)
    return conclude(change, () => {
      // The seed first: a key without its seed would stop the next deployment.
      const path = keepSeed(seed)
      save({ toml, config, environment }, change)
      console.log(seedInstructions(publicKey, path, environment))
    })
  }
  const change = changeKey(history, { verb, keyId, since: values.since }, now)
  return conclude(change, () => {
    save({ toml, config, environment }, change)
    console.log(`Next: npx wrangler deploy --env ${environment}`)
  })
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        env: { type: 'string' },
        config: { type: 'string', default: 'wrangler.toml' },
        now: { type: 'boolean' },
        since: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (thrown) {
    throw new Misunderstood(thrown instanceof Error ? thrown.message : HELP)
  }
}

function readHistory(toml: string, config: string, environment: string): KeyHistory {
  const text = readSetting(toml, environment, SETTING)
  if (text === null) {
    throw new Misunderstood(`${config} has no line ${SETTING} = '[]' under [env.${environment}.vars]. Add it first.`)
  }
  const history = parseKeyHistory(text)
  if (history === null) throw new Misunderstood(`${SETTING} of ${environment} in ${config} is not a history of keys.`)
  return history
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
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(text)
  const since = isTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(since)) throw new Misunderstood('--since takes a time with its zone, such as 2026-11-20T05:00:00Z.')
  return since
}

function conclude(change: Change, onDone: () => void): 0 | 1 {
  if (!change.done) {
    console.error(CHANGE_REFUSALS[change.refusal])
    return 1
  }
  console.log(describeKey(change.key))
  onDone()
  return 0
}

type Place = { toml: string; config: string; environment: string }

function save({ toml, config, environment }: Place, change: Change): void {
  if (!change.done) return
  const written = writeSetting(toml, environment, SETTING, JSON.stringify(change.history))
  if (written !== null) writeFileSync(config, written)
}

/** A file in a folder of its own, for its owner only. */
function keepSeed(seed: Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'attestation-seed-')), 'seed')
  writeFileSync(path, Buffer.from(seed).toString('hex'), { mode: 0o600, flag: 'wx' })
  return path
}

function seedInstructions(publicKey: string, path: string, environment: string): string {
  return `
Next, in this order:
  npx wrangler secret put ${seedSettingOf(publicKey)} --env ${environment} < ${path}
  rm ${path}
  npx wrangler deploy --env ${environment}

The secret is then the only copy of the seed. Deploy before the key signs, so that it is published first, and tell those
who pin keys what the new one is:
  ${publicKey}`
}

function describeHistory(history: KeyHistory, now: number): string {
  const signing = signingKeyAt(history, now)
  const lines = history.map((key) => describeKey(key) + (key === signing ? '  signs now' : ''))
  return lines.length === 0 ? 'none' : lines.join('\n')
}

function describeKey({ public_key: publicKey, status, ...times }: HistoricKey): string {
  const { valid_from: from, valid_until: until, suspected_since: suspected } = times
  const ended = until === null ? '' : ` until ${until}`
  const doubted = suspected === undefined ? '' : `  suspected since ${suspected}`
  return `${keyIdOf(publicKey)}  ${publicKey}  ${status.padEnd(7)}  from ${from}${ended}${doubted}`
}
