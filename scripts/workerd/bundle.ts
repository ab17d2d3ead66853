// Builds a Worker like `wrangler deploy`, without uploading it, for tests and benchmarks.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import { z } from 'zod'

export const PROJECT = join(import.meta.dirname, '../..')

export const CONFIG = join(PROJECT, 'wrangler.toml')
const run = promisify(execFile)
const ConfigSchema = z.object({ compatibility_date: z.string(), compatibility_flags: z.array(z.string()) })
const service = ConfigSchema.parse(unstable_readConfig({ config: CONFIG }, { hideWarnings: true }))

/** The compatibility date and flags of the service, with which every Worker is built and run. */
export const COMPATIBILITY = { date: service.compatibility_date, flags: service.compatibility_flags }

/** The folder for bundles of exactly these sources. If it is not set, each bundle is built in its own folder. */
const KEPT = process.env['KEPT_BUNDLES']

/**
 * Builds the service as wrangler.toml describes it. Returns the bundle's path.
 * @param outFolder used unless KEPT_BUNDLES is set
 */
export async function bundleService(outFolder: string): Promise<string> {
  const folder = await buildOrFind('service', outFolder, (wanted) => buildInto(wanted, CONFIG))
  return join(folder, 'worker.js')
}

/**
 * Builds another Worker, such as one around the service. Returns the bundle's path.
 * @param outFolder used unless KEPT_BUNDLES is set
 * @param main the entry, relative to the project's root
 */
export async function bundleWorker(outFolder: string, main: string): Promise<string> {
  const folder = await buildOrFind(main.replaceAll('/', '-'), outFolder, async (wanted) => {
    await mkdir(wanted, { recursive: true })
    const config = join(wanted, 'wrangler.json')
    const settings = {
      name: 'bench',
      main: join(PROJECT, main),
      compatibility_date: COMPATIBILITY.date,
      compatibility_flags: COMPATIBILITY.flags,
      minify: true,
    }
    await writeFile(config, JSON.stringify(settings))
    return buildInto(wanted, config)
  })
  return join(folder, `${basename(main, '.ts')}.js`)
}

/** Returns the folder of the bundle. If processes build the same one at once, the first to finish stores it. */
async function buildOrFind(
  name: string,
  outFolder: string,
  build: (folder: string) => Promise<string>,
): Promise<string> {
  if (KEPT === undefined) return build(outFolder)
  const kept = join(KEPT, name)
  if (existsSync(kept)) return kept
  await mkdir(KEPT, { recursive: true })
  const own = await build(await mkdtemp(`${kept}-`))
  await rename(own, kept).catch((thrown: unknown) => {
    if (!existsSync(kept)) throw thrown
  })
  return kept
}

/** Builds the bundle and returns its folder. */
async function buildInto(outFolder: string, config: string): Promise<string> {
  const command = ['deploy', '--dry-run', '--config', config, '--env', '', '--outdir', outFolder]
  // No metrics and no network look-ups, so that wrangler does not wait for them.
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }
  await run(join(PROJECT, 'node_modules/.bin/wrangler'), command, { cwd: PROJECT, env })
  return outFolder
}
