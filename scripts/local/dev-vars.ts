// Reads and writes .dev.vars, this machine's secrets. A start makes the missing ones and never changes existing ones.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export const DEV_VARS = '.dev.vars'

export type Settings = Record<string, string>

const MAKE: Record<string, () => string> = {
  KEY_PEPPERS: () => `1:${randomBytes(32).toString('hex')}`,
  OPERATOR_TOKEN: () => randomBytes(32).toString('base64url'),
}

/** Returns the settings in the file, or none if there is no file. */
export const readDevVars = (file: string): Settings => readSettings(readText(file))

/** Adds missing settings to the file. Returns all of its settings. */
export function ensureDevVars(file: string): Settings {
  const there = readDevVars(file)
  const missing = Object.entries(MAKE).filter(([name]) => !(name in there))
  return writeDevVars(file, Object.fromEntries(missing.map(([name, make]) => [name, make()])))
}

/** Writes settings to the file, replacing their old lines. Returns all of its settings. */
export function writeDevVars(file: string, settings: Settings): Settings {
  let text = readText(file)
  for (const [name, value] of Object.entries(settings)) {
    if (/['\r\n]/.test(value)) throw new TypeError(`${name} cannot be written into one line`)
    const line = `${name}='${value}'`
    const old = new RegExp(`^${name}=.*$`, 'm')
    if (old.test(text)) text = text.replace(old, () => line)
    else text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  }
  if (Object.keys(settings).length > 0) writeFileSync(file, text, { mode: 0o600 })
  return readSettings(text)
}

const HEADING = '# Secrets of this machine. Never commit this file.\n'

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : HEADING)

const readSettings = (text: string): Settings =>
  Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
