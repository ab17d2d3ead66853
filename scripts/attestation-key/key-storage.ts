// Reads and writes the signing keys of an environment: its public key history and the secret seeds. A deployed environment has
// them in wrangler.toml and as a secret; this machine has both in .dev.vars.
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDevVars, writeDevVars } from '../local/dev-vars.ts'

/** The setting of a key history. `purpose`: what its keys sign. `setting`: its name. */
type PublicSetting = { readonly purpose: string; readonly setting: string }

/** The setting while there is no key. */
const EMPTY = '[]'

export type KeyStorage = {
  /** The value of the public setting, as stored. */
  written: string
  write(changed: string): void
  /** Stores a seed as the secret with this name. Returns the operator's next step. `pinned`: the text that others pin. */
  storeSeed(secret: string, seed: Uint8Array, pinned: string): string
  /** The operator's next step after any change other than a new seed. */
  next: string
  /** Returns another setting of the environment, or null if its line is missing. */
  setting(name: string): string | null
}

export type OpenedKeyStorage = { ok: true; place: KeyStorage } | { ok: false; wrong: string }

/** Opens the keys of an environment. @param file used instead of wrangler.toml or, for `local`, instead of .dev.vars */
export function openKeyStorage(environment: string, file: string, of: PublicSetting): OpenedKeyStorage {
  const isThere = existsSync(file)
  if (isThere && !statSync(file).isFile()) return { ok: false, wrong: `${file} is not a file. ${SAY_WHICH}` }
  if (environment === 'local') return { ok: true, place: localKeyStorage(file, of) }
  if (!isThere) return { ok: false, wrong: `There is no file ${file}. ${SAY_WHICH}` }
  const toml = readFileSync(file, 'utf8')
  const written = readSetting(toml, environment, of.setting)
  if (written !== null) return { ok: true, place: deployedKeyStorage({ environment, file, toml, of }, written) }
  const section = `[env.${environment}.vars]`
  return {
    ok: false,
    wrong: `${file} has no ${of.setting} under ${section}. Add the line ${of.setting} = '${EMPTY}'.`,
  }
}

const SAY_WHICH = 'Name the file with --config.'

type Toml = { environment: string; file: string; toml: string; of: PublicSetting }

function deployedKeyStorage({ environment, file, toml, of }: Toml, written: string): KeyStorage {
  return {
    written,
    write(changed) {
      const rewritten = writeSetting(toml, environment, of.setting, changed)
      if (rewritten !== null) writeFileSync(file, rewritten)
    },
    storeSeed(secret, seed, pinned) {
      const path = join(mkdtempSync(join(tmpdir(), `${of.purpose}-seed-`)), 'seed')
      writeFileSync(path, hexOf(seed), { mode: 0o600, flag: 'wx' })
      return `
Next, in this order:
  npx wrangler secret put ${secret} --env ${environment} < ${path}
  rm ${path}
  npx wrangler deploy --env ${environment}

The secret is then the only copy of the seed. Deploy before the key signs.
Tell people who pin keys the new one:
  ${pinned}`
    },
    next: `Next: npx wrangler deploy --env ${environment}`,
    setting: (name) => readSetting(toml, environment, name),
  }
}

const localKeyStorage = (file: string, { setting }: PublicSetting): KeyStorage => ({
  written: readDevVars(file)[setting] ?? EMPTY,
  write: (changed) => void writeDevVars(file, { [setting]: changed }),
  storeSeed(secret, seed) {
    writeDevVars(file, { [secret]: hexOf(seed) })
    return RESTART
  },
  next: RESTART,
  setting: (name) => readDevVars(file)[name] ?? null,
})

const RESTART = 'Next: restart npm start'

const hexOf = (seed: Uint8Array): string => Buffer.from(seed).toString('hex')

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

export function readSetting(toml: string, environment: string, name: string): string | null {
  const found = findValue(toml, environment, name) ?? findValue(toml, environment, name, '"')
  return found === null ? null : toml.slice(found.start, found.end)
}

/** Replaces only this value. Returns null if the line is missing. Throws TypeError if plain quotes cannot contain the value. */
export function writeSetting(toml: string, environment: string, name: string, value: string): string | null {
  if (/['\n\r]/.test(value)) throw new TypeError('not a value for single quotes')
  const found = findValue(toml, environment, name)
  return found === null ? null : toml.slice(0, found.start) + value + toml.slice(found.end)
}
