// Reads and writes the signing keys of an environment: its public key history and the secret seeds. A deployed environment has
// them in wrangler.toml and as a secret; this machine has both in .dev.vars. Creates keys.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hexToBytes } from '@noble/hashes/utils.js'
import { formatVkey, noteKeyFromBase64url } from '../../src/evidence/checkpoint/note-key.ts'
import { LOG_KEY_SETTINGS, seedSettingOf, type KeySettings } from '../../src/evidence/records/configured-keys.ts'
import { keyIdOf } from '../../src/evidence/records/ed25519.ts'
import {
  createKey,
  parseKeyHistory,
  type HistoricKey,
  type KeyHistory,
} from '../../src/evidence/records/key-history.ts'
import { mintKey, publicKeyOf } from '../../src/evidence/records/signing-key.ts'
import { defaultOrigin } from '../../src/public-log/public-log-config.ts'
import { readDevVars, replaceFile, writeDevVars, type Settings } from '../local/dev-vars.ts'
import { writeSecrets } from '../secrets/secrets-file.ts'

/** The setting while there is no key. */
const EMPTY = '[]'

export type KeyStorage = {
  names: KeySettings
  history: KeyHistory
  write(changed: KeyHistory): void
  /** Stores a seed as the secret with this name. Returns the operator's next step. `pinned`: the text that others pin. */
  storeSeed(secret: string, seed: string, pinned: string): string
  /** The operator's next step after any change other than a new seed. */
  next: string
  /** Returns another setting of the environment, or null if its line is missing. */
  setting(name: string): string | null
}

type OpenedKeyStorage = { ok: true; place: KeyStorage } | { ok: false; wrong: string }

/** `file` replaces wrangler.toml or, for `local`, .dev.vars. `secrets`: the file of a deployment's secrets, if seeds go there. */
type KeyPlace = { environment: string; file: string; secrets?: string | undefined }

/** Opens the keys of an environment. */
export function openKeyStorage(of: KeyPlace, names: KeySettings): OpenedKeyStorage {
  const { environment, file } = of
  const isThere = existsSync(file)
  if (isThere && !statSync(file).isFile()) return { ok: false, wrong: `${file} is not a file. ${SAY_WHICH}` }
  if (environment !== 'local' && !isThere) return { ok: false, wrong: `There is no file ${file}. ${SAY_WHICH}` }
  const written =
    environment === 'local'
      ? (readDevVars(file)[names.history] ?? EMPTY)
      : readQuoted(readFileSync(file, 'utf8'), environment, names.history, "'")
  if (written === null) {
    const line = `${names.history} = '${EMPTY}'`
    return {
      ok: false,
      wrong: `${file} has no ${names.history} under [env.${environment}.vars]. Add the line ${line}.`,
    }
  }
  const history = parseKeyHistory(written)
  if (history === null)
    return { ok: false, wrong: `${names.history} of ${environment} is not a list of keys. Correct it first.` }
  const place = environment === 'local' ? localKeys(file, names.history) : deployedKeys(of, names)
  return { ok: true, place: { names, history, ...place } }
}

const SAY_WHICH = 'Name the file with --config.'

type Place = Omit<KeyStorage, 'names' | 'history'>

function deployedKeys({ environment, file, secrets }: KeyPlace, { purpose, history }: KeySettings): Place {
  const next = `npm run deploy -- --env ${environment}`
  return {
    write(changed) {
      const rewritten = writeSetting(readFileSync(file, 'utf8'), environment, history, JSON.stringify(changed))
      if (rewritten === null) throw new TypeError(`${file} changed meanwhile. Its line ${history} is gone.`)
      replaceFile(file, rewritten, statSync(file).mode & 0o777)
    },
    storeSeed(secret, seed, pinned) {
      const path = secrets ?? join(mkdtempSync(join(tmpdir(), `${purpose}-seed-`)), 'seed')
      if (secrets === undefined) writeFileSync(path, seed, { mode: 0o600, flag: 'wx', flush: true })
      else writeSecrets(path, environment, { [secret]: seed })
      const steps =
        secrets === undefined
          ? `
Next, in this order:
  npx wrangler secret put ${secret} --env ${environment} < ${path}
  rm ${path}
  ${next}

The secret is then the only copy of the seed. Deploy before the key signs.`
          : `
Next: npm run deploy -- --env ${environment} --secrets ${path}

${path} has the seed, ${secret}. Keep a copy offline. Deploy before the key signs.`
      return `${steps}
Tell people who pin keys the new one:
  ${pinned}`
    },
    next: `Next: ${next}`,
    setting: (name) => readSetting(readFileSync(file, 'utf8'), environment, name),
  }
}

const localKeys = (file: string, history: string): Place => ({
  write: (changed) => void writeDevVars(file, { [history]: JSON.stringify(changed) }),
  storeSeed(secret, seed) {
    writeDevVars(file, { [secret]: seed })
    return RESTART
  },
  next: RESTART,
  setting: (name) => readDevVars(file)[name] ?? null,
})

const RESTART = 'Next: restart npm start'

/**
 * Creates a key that signs from `signsFrom` on, in milliseconds since the epoch. Returns it and the operator's next step. The seed is
 * stored before the history is written. Otherwise the history could name a key without a seed.
 * @param stored secrets whose seed without a key is used, because a crash came between the two
 */
export function addKey(
  place: KeyStorage,
  signsFrom: number,
  stored: Settings = {},
): { key: HistoricKey; next: string } {
  const { history, names } = place
  const seed = unusedSeed(history, names, stored) ?? Buffer.from(mintKey(() => randomBytes(32)).seed).toString('hex')
  const publicKey = publicKeyOf(hexToBytes(seed))
  const change = createKey(history, publicKey, signsFrom)
  if (!change.done) throw new TypeError('a new key that the history has')
  const next = place.storeSeed(seedSettingOf(publicKey, names), seed, publicKey)
  place.write(change.history)
  return { key: change.key, next }
}

function unusedSeed(history: KeyHistory, names: KeySettings, stored: Settings): string | undefined {
  const used = new Set(history.map(({ public_key: key }) => seedSettingOf(key, names)))
  const seeds = Object.entries(stored).filter(
    ([name, seed]) => name.startsWith(names.seed) && /^[0-9a-f]{64}$/.test(seed),
  )
  return seeds.find(
    ([name, seed]) => !used.has(name) && name === seedSettingOf(publicKeyOf(hexToBytes(seed)), names),
  )?.[1]
}

/** Returns a key as one line, and for a key of the public log its vkey below. */
export function describeKey(place: KeyStorage, key: HistoricKey, note = ''): string {
  const { public_key: publicKey, status, valid_from: from, valid_until: until, suspected_since: suspected } = key
  const ended = until === null ? '' : ` until ${until}`
  const doubted = suspected === undefined ? '' : `  suspected since ${suspected}`
  const line = `${keyIdOf(publicKey)}  ${publicKey}  ${status.padEnd(7)}  from ${from}${ended}${doubted}${note}`
  if (place.names !== LOG_KEY_SETTINGS) return line
  // The name of the log, as the service derives it.
  const origin = place.setting('LOG_ORIGIN') ?? defaultOrigin(place.setting('PUBLIC_ORIGIN'))
  return `${line}\n  ${formatVkey(noteKeyFromBase64url(origin, 'ed25519', publicKey))}`
}

/** Finds the value of `name = '…'` under `[env.ENVIRONMENT.vars]`, or returns null if the line is missing. */
function findValue(
  toml: string,
  environment: string,
  name: string,
  quote = "'",
): { start: number; end: number } | null {
  const section = toml.indexOf(`\n[env.${environment}.vars]\n`)
  if (section === -1) return null
  const next = toml.indexOf('\n[', section + 1)
  const line = `\n${name} = ${quote}`
  const at = toml.indexOf(line, section)
  if (at === -1 || (next !== -1 && at > next)) return null
  const start = at + line.length
  const end = toml.indexOf(quote, start)
  return end === -1 || toml.slice(start, end).includes('\n') ? null : { start, end }
}

export const readSetting = (toml: string, environment: string, name: string): string | null =>
  readQuoted(toml, environment, name, "'") ?? readQuoted(toml, environment, name, '"')

function readQuoted(toml: string, environment: string, name: string, quote: string): string | null {
  const found = findValue(toml, environment, name, quote)
  return found === null ? null : toml.slice(found.start, found.end)
}

/** Replaces only this value. Returns null if the line is missing. Throws TypeError if plain quotes cannot contain the value. */
export function writeSetting(toml: string, environment: string, name: string, value: string): string | null {
  if (/['\n\r]/.test(value)) throw new TypeError('not a value for single quotes')
  const found = findValue(toml, environment, name)
  return found === null ? null : toml.slice(0, found.start) + value + toml.slice(found.end)
}
