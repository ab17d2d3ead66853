// One variable of one environment in wrangler.toml, read and replaced without touching anything else.

/** Where the value of `name = '…'` stands under `[env.ENVIRONMENT.vars]`; null where there is no such line. */
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

/** Null where the line is not there. Throws TypeError for a value that TOML's plain quotes cannot hold. */
export function writeSetting(toml: string, environment: string, name: string, value: string): string | null {
  if (/['\n\r]/.test(value)) throw new TypeError('not a value for single quotes')
  const found = findValue(toml, environment, name)
  return found === null ? null : toml.slice(0, found.start) + value + toml.slice(found.end)
}
