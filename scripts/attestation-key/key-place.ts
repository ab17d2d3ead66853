// Where an environment keeps its history of keys and its seeds: a deployed one a line of wrangler.toml and a secret, this
// machine both in .dev.vars.
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedSettingOf, type KeySettings } from '../../src/attestation/attestation-keys.ts'
import { readDevVars, writeDevVars } from '../local/dev-vars.ts'
import { readSetting, writeSetting } from './wrangler-setting.ts'

export type KeyPlace = {
  /** The history as it is written there. */
  history: string
  write(history: string): void
  /** Keeps a seed for its owner only; what is to be done next. */
  keepSeed(publicKey: string, seed: Uint8Array): string
  /** What is to be done after any other change. */
  next: string
  /** Another setting of that environment; null where there is no such line. */
  setting(name: string): string | null
}

export type OpenedPlace = { ok: true; place: KeyPlace } | { ok: false; wrong: string }

/**
 * @param file instead of wrangler.toml or, of `local`, of .dev.vars
 * @param names whether the keys of attestations are meant, or those of the public log
 */
export function openKeyPlace(environment: string, file: string, names: KeySettings): OpenedPlace {
  const isThere = existsSync(file)
  if (isThere && !statSync(file).isFile()) return { ok: false, wrong: `${file} is not a file. ${SAY_WHICH}` }
  if (environment === 'local') return { ok: true, place: localPlace(file, names) }
  if (!isThere) return { ok: false, wrong: `There is no file ${file}. ${SAY_WHICH}` }
  const toml = readFileSync(file, 'utf8')
  const history = readSetting(toml, environment, names.history)
  if (history !== null) return { ok: true, place: deployedPlace({ environment, file, toml, names }, history) }
  const section = `[env.${environment}.vars]`
  return { ok: false, wrong: `${file} has no line ${names.history} = '[]' under ${section}. Add it first.` }
}

const SAY_WHICH = 'Say with --config which it is.'

type Toml = { environment: string; file: string; toml: string; names: KeySettings }

function deployedPlace({ environment, file, toml, names }: Toml, history: string): KeyPlace {
  return {
    history,
    write(changed) {
      const written = writeSetting(toml, environment, names.history, changed)
      if (written !== null) writeFileSync(file, written)
    },
    keepSeed(publicKey, seed) {
      const path = join(mkdtempSync(join(tmpdir(), `${names.purpose}-seed-`)), 'seed')
      writeFileSync(path, hexOf(seed), { mode: 0o600, flag: 'wx' })
      return `
Next, in this order:
  npx wrangler secret put ${seedSettingOf(publicKey, names)} --env ${environment} < ${path}
  rm ${path}
  npx wrangler deploy --env ${environment}

The secret is then the only copy of the seed. Deploy before the key signs, so that it is published first, and tell those
who pin keys what the new one is:
  ${publicKey}`
    },
    next: `Next: npx wrangler deploy --env ${environment}`,
    setting: (name) => readSetting(toml, environment, name),
  }
}

const localPlace = (file: string, names: KeySettings): KeyPlace => ({
  history: readDevVars(file)[names.history] ?? '[]',
  write: (changed) => void writeDevVars(file, { [names.history]: changed }),
  keepSeed(publicKey, seed) {
    writeDevVars(file, { [seedSettingOf(publicKey, names)]: hexOf(seed) })
    return RESTART
  },
  next: RESTART,
  setting: (name) => readDevVars(file)[name] ?? null,
})

const RESTART = 'Next: stop npm start, and start it again'

const hexOf = (seed: Uint8Array): string => Buffer.from(seed).toString('hex')
