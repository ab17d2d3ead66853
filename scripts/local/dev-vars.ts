// .dev.vars: this machine's secrets, made at the first start and kept. What is already there is never changed.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const FILE = '.dev.vars'

const MAKE: Record<string, () => string> = {
  KEY_PEPPERS: () => `1:${randomBytes(32).toString('hex')}`,
  OPERATOR_TOKEN: () => randomBytes(32).toString('base64url'),
}

/** The settings in the file, after those that were missing have been added. */
export function ensureDevVars(): Record<string, string> {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '# Secrets of this machine. Never commit this file.\n'
  const missing = Object.keys(MAKE).filter((name) => !new RegExp(`^${name}=`, 'm').test(text))
  const added = missing.map((name) => `${name}=${MAKE[name]?.() ?? ''}\n`).join('')
  const complete = text.endsWith('\n') || text === '' ? text + added : `${text}\n${added}`
  if (missing.length > 0) writeFileSync(FILE, complete, { mode: 0o600 })
  const settings: Record<string, string> = {}
  for (const [, name = '', value = ''] of complete.matchAll(/^([A-Z_]+)=(.*)$/gm)) settings[name] = value.trim()
  return settings
}
