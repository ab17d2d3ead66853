// Reads and writes files of secrets: .dev.vars, which has this machine's, and a deployment's (npm run secrets). Missing ones are
// made, and existing ones are never changed.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { Refusal } from '../command-line.ts'

export const DEV_VARS = '.dev.vars'

export type Settings = Record<string, string>

export const drawToken = (): string => randomBytes(32).toString('base64url')

const MAKE: Record<string, () => string> = {
  KEY_PEPPERS: () => `1:${randomBytes(32).toString('hex')}`,
  OPERATOR_TOKEN: drawToken,
}

/** Returns the settings in the file, or none if there is no file. */
export const readDevVars = (file: string): Settings => readSettings(readText(file, ''))

/** Makes the settings that `there` lacks. */
export function makeMissing(there: object): Settings {
  const missing = Object.entries(MAKE).filter(([name]) => !(name in there))
  return Object.fromEntries(missing.map(([name, make]) => [name, make()]))
}

/** Adds missing settings to the file. Returns all of its settings. */
export const ensureDevVars = (file: string): Settings => writeDevVars(file, makeMissing(readDevVars(file)))

/**
 * Writes settings to the file, replacing their old lines. Returns all of its settings. Throws Refusal, which names no value, if the file
 * would be read otherwise afterwards.
 * @param heading the first line of a new file
 */
export function writeDevVars(file: string, settings: Settings, heading = HEADING): Settings {
  const before = readText(file, heading)
  let text = before
  for (const [name, value] of Object.entries(settings)) {
    const line = `${name}='${value}'`
    const old = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm')
    if (old.test(text)) text = text.replace(old, () => line)
    else text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  }
  const after = readSettings(text)
  for (const [name, value] of Object.entries({ ...readSettings(before), ...settings }))
    if (after[name] !== value)
      throw new Refusal(`${name} cannot be written into ${file}. It needs one line, in single quotes.`)
  if (text !== before) replaceFile(file, text, 0o600)
  return after
}

/** Writes a file beside the old one and takes its place: no crash leaves half of it. Returns once the disk has it. */
export function replaceFile(file: string, text: string, mode: number): void {
  const target = existsSync(file) ? realpathSync(file) : file
  const beside = `${target}.new`
  rmSync(beside, { force: true })
  try {
    writeFileSync(beside, text, { mode, flag: 'wx', flush: true })
    renameSync(beside, target)
  } catch (thrown) {
    rmSync(beside, { force: true })
    throw thrown
  }
  // Windows opens no folder.
  if (process.platform === 'win32') return
  const folder = openSync(dirname(target), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

const HEADING = '# Secrets of this machine. Never commit this file.'

const readText = (file: string, heading: string): string =>
  existsSync(file) ? readFileSync(file, 'utf8') : heading && `${heading}\n`

const readSettings = (text: string): Settings =>
  Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
