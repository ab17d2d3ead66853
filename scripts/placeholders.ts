// Finds the placeholders of wrangler.toml that docs/deploy.md lists: identifiers of zeros, and addresses that end in .example.
import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'

const ConfigSchema = z.object({
  routes: z.unknown(),
  vars: z.unknown(),
  send_email: z.unknown(),
  kv_namespaces: z.unknown(),
  d1_databases: z.unknown(),
})

const PLACEHOLDER = /\.example$|^0{8}-?0/

/** Returns where an environment of wrangler.toml has placeholders, such as `vars.PUBLIC_ORIGIN`. */
export function findPlaceholders(environment: string): string[] {
  const config: unknown = unstable_readConfig(
    { config: join(import.meta.dirname, '../wrangler.toml'), env: environment },
    { hideWarnings: true },
  )
  return placesOf(ConfigSchema.parse(config), '')
}

function placesOf(value: unknown, at: string): string[] {
  if (typeof value === 'string') return PLACEHOLDER.test(value) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => placesOf(member, at === '' ? name : `${at}.${name}`))
}
