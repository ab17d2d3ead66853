// Where an environment keeps its history of keys and its seeds: a deployed one a line of wrangler.toml and a secret, this
// machine both in .dev.vars.
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDevVars, writeDevVars } from '../local/dev-vars.ts'
import { readSetting, writeSetting } from './wrangler-setting.ts'

/** The setting of what is public of the keys, and what it is before there is one; and what the keys sign. */
export type PublicSetting = { readonly purpose: string; readonly setting: string; readonly empty: string }

export type KeyPlace = {
  /** What is public, as it is written there. */
  written: string
  write(changed: string): void
  /** Keeps a seed for its owner only, as the secret of this name; what is to be done next. `pinned`: what others are told. */
  keepSeed(secret: string, seed: Uint8Array, pinned: string): string
  /** What is to be done after any other change. */
  next: string
  /** Another setting of that environment; null where there is no such line. */
  setting(name: string): string | null
}

export type OpenedPlace = { ok: true; place: KeyPlace } | { ok: false; wrong: string }

/**
 * @param file instead of wrangler.toml or, of `local`, of .dev.vars
 * @param of which keys are meant
 */
export function openKeyPlace(environment: string, file: string, of: PublicSetting): OpenedPlace {
  const isThere = existsSync(file)
  if (isThere && !statSync(file).isFile()) return { ok: false, wrong: `${file} is not a file. ${SAY_WHICH}` }
  if (environment === 'local') return { ok: true, place: localPlace(file, of) }
  if (!isThere) return { ok: false, wrong: `There is no file ${file}. ${SAY_WHICH}` }
  const toml = readFileSync(file, 'utf8')
  const written = readSetting(toml, environment, of.setting)
  if (written !== null) return { ok: true, place: deployedPlace({ environment, file, toml, of }, written) }
  const section = `[env.${environment}.vars]`
  return { ok: false, wrong: `${file} has no line ${of.setting} = '${of.empty}' under ${section}. Add it first.` }
}

const SAY_WHICH = 'Say with --config which it is.'

type Toml = { environment: string; file: string; toml: string; of: PublicSetting }

function deployedPlace({ environment, file, toml, of }: Toml, written: string): KeyPlace {
  return {
    written,
    write(changed) {
      const rewritten = writeSetting(toml, environment, of.setting, changed)
      if (rewritten !== null) writeFileSync(file, rewritten)
    },
    keepSeed(secret, seed, pinned) {
      const path = join(mkdtempSync(join(tmpdir(), `${of.purpose}-seed-`)), 'seed')
      writeFileSync(path, hexOf(seed), { mode: 0o600, flag: 'wx' })
      return `
Next, in this order:
  npx wrangler secret put ${secret} --env ${environment} < ${path}
  rm ${path}
  npx wrangler deploy --env ${environment}

The secret is then the only copy of the seed. Deploy before the key signs, so that it is published first, and tell those
who pin keys what the new one is:
  ${pinned}`
    },
    next: `Next: npx wrangler deploy --env ${environment}`,
    setting: (name) => readSetting(toml, environment, name),
  }
}

const localPlace = (file: string, { setting, empty }: PublicSetting): KeyPlace => ({
  written: readDevVars(file)[setting] ?? empty,
  write: (changed) => void writeDevVars(file, { [setting]: changed }),
  keepSeed(secret, seed) {
    writeDevVars(file, { [secret]: hexOf(seed) })
    return RESTART
  },
  next: RESTART,
  setting: (name) => readDevVars(file)[name] ?? null,
})

const RESTART = 'Next: stop npm start, and start it again'

const hexOf = (seed: Uint8Array): string => Buffer.from(seed).toString('hex')
