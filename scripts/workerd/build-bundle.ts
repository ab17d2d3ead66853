// Builds a Worker like `wrangler deploy`, without uploading it, for tests and benchmarks.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'

export const PROJECT_FOLDER = join(import.meta.dirname, '../..')

export const WRANGLER_TOML = join(PROJECT_FOLDER, 'wrangler.toml')
const run = promisify(execFile)
const ConfigSchema = z.object({ compatibility_date: z.string(), compatibility_flags: z.array(z.string()) })
const service = ConfigSchema.parse(unstable_readConfig({ config: WRANGLER_TOML }, { hideWarnings: true }))

/** The compatibility date and flags of the service, with which every Worker is built and run. */
export const COMPATIBILITY = { date: service.compatibility_date, flags: service.compatibility_flags }

/** The folder that caches bundles of the current sources. If KEPT_BUNDLES is not set, each call builds its own bundle. */
const BUNDLE_CACHE = process.env['KEPT_BUNDLES']

/**
 * Builds the service as wrangler.toml describes it. Returns the bundle's path.
 * @param outFolder used unless KEPT_BUNDLES is set
 */
export async function bundleService(outFolder: string): Promise<string> {
  const folder = await buildOrFind('service', outFolder, (wanted) => buildInto(wanted, WRANGLER_TOML))
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
      main: join(PROJECT_FOLDER, main),
      compatibility_date: COMPATIBILITY.date,
      compatibility_flags: COMPATIBILITY.flags,
      minify: true,
      keep_names: false,
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
  if (BUNDLE_CACHE === undefined) return build(outFolder)
  const cachedFolder = join(BUNDLE_CACHE, name)
  if (existsSync(cachedFolder)) return cachedFolder
  await mkdir(BUNDLE_CACHE, { recursive: true })
  const own = await build(await mkdtemp(`${cachedFolder}-`))
  await rename(own, cachedFolder).catch((thrown: unknown) => {
    if (!existsSync(cachedFolder)) throw thrown
  })
  return cachedFolder
}

/** Builds the bundle and returns its folder. */
async function buildInto(outFolder: string, config: string): Promise<string> {
  const command = ['deploy', '--dry-run', '--config', config, '--env', '', '--outdir', outFolder]
  // No metrics and no network look-ups, so that wrangler does not wait for them. A bundle has no pages.
  const env = {
    ...process.env,
    BUILD_PAGES: 'never',
    WRANGLER_SEND_METRICS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  }
  await run(join(PROJECT_FOLDER, 'node_modules/.bin/wrangler'), command, { cwd: PROJECT_FOLDER, env })
  return outFolder
}
