// Finds what a build has to tell of wrangler.toml: the placeholders that docs/deploy.md lists (identifiers of zeros, and addresses
// that end in .example), and the settings of .dev.vars that wrangler dev leaves out.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import { DEV_VARS, readDevVars } from './local/dev-vars.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** wrangler would prefer a wrangler.json beside it. */
export const WRANGLER_TOML = join(import.meta.dirname, '../wrangler.toml')

/** The program, for a child process. */
export const WRANGLER = join(import.meta.dirname, '../node_modules/wrangler/wrangler-dist/cli.js')

/** Returns the environment of a child process in which wrangler reports nothing to its maker, and logs no secret. */
export const wranglerEnvironment = async (): Promise<NodeJS.ProcessEnv> => ({
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  // SECURITY: otherwise the log of a run would have the requests.
  WRANGLER_LOG_SANITIZE: 'true',
  WRANGLER_LOG_PATH: await makeTemporaryFolder(),
})

const ConfigSchema = z.object({
  routes: z.unknown(),
  vars: z.record(z.string(), z.unknown()),
  send_email: z.unknown(),
  kv_namespaces: z.unknown(),
  d1_databases: z.unknown(),
})

const SecretsSchema = z.object({ secrets: z.object({ required: z.array(z.string()) }) })

const PROJECT = join(import.meta.dirname, '..')

const PLACEHOLDER = /\.example(?![\w.-])|^0{8}-?0/

const readConfig = (environment: string | undefined): unknown =>
  unstable_readConfig({ config: WRANGLER_TOML, env: environment }, { hideWarnings: true })

/** Returns where an environment of wrangler.toml has placeholders, such as `vars.PUBLIC_ORIGIN`. */
export const findPlaceholders = (environment: string): string[] => findPlaceholdersIn(readConfig(environment))

/** @param config of one environment, as wrangler resolves it */
export const findPlaceholdersIn = (config: unknown): string[] => placesOf(ConfigSchema.parse(config), '')

/** Returns the settings that `wrangler dev` does not bind. It binds those that wrangler.toml names as variables or secrets. */
export function findLeftOut(environment: string | undefined): string[] {
  const config = readConfig(environment)
  const { secrets } = SecretsSchema.parse(config)
  const bound = new Set([...Object.keys(ConfigSchema.parse(config).vars), ...secrets.required])
  const own = join(PROJECT, `${DEV_VARS}.${environment}`)
  const given = readDevVars(existsSync(own) ? own : join(PROJECT, DEV_VARS))
  return Object.keys(given).filter((name) => !bound.has(name))
}

function placesOf(value: unknown, at: string): string[] {
  if (typeof value === 'string') return PLACEHOLDER.test(value) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => placesOf(member, at === '' ? name : `${at}.${name}`))
}
