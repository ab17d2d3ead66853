// Builds a Worker as `wrangler deploy` would, and uploads nothing.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import { z } from 'zod'

export const PROJECT = join(import.meta.dirname, '../../..')

const CONFIG = join(PROJECT, 'wrangler.toml')
const run = promisify(execFile)
const ConfigSchema = z.object({ compatibility_date: z.string(), compatibility_flags: z.array(z.string()) })
const service = ConfigSchema.parse(unstable_readConfig({ config: CONFIG }, { hideWarnings: true }))

/** What every Worker here is built for and run with: the service's own. */
export const COMPATIBILITY = { date: service.compatibility_date, flags: service.compatibility_flags }

/**
 * The service as a wrangler.toml describes it. Returns the bundle's path.
 * @param config that file, where it is another than this project's
 */
export async function bundleService(outFolder: string, config: string = CONFIG): Promise<string> {
  await buildInto(outFolder, config)
  return join(outFolder, 'worker.js')
}

/**
 * A Worker that only the benches have. Returns the bundle's path.
 * @param main the entry, from the project's root
 */
export async function bundleWorker(outFolder: string, main: string): Promise<string> {
  await mkdir(outFolder, { recursive: true })
  const config = join(outFolder, 'wrangler.json')
  const settings = {
    name: 'bench',
    main: join(PROJECT, main),
    compatibility_date: COMPATIBILITY.date,
    compatibility_flags: COMPATIBILITY.flags,
    minify: true,
  }
  await writeFile(config, JSON.stringify(settings))
  await buildInto(outFolder, config)
  return join(outFolder, `${basename(main, '.ts')}.js`)
}

async function buildInto(outFolder: string, config: string): Promise<void> {
  const command = ['deploy', '--dry-run', '--config', config, '--env', '', '--outdir', outFolder]
  // Nothing is sent or looked up on the network, and wrangler does not linger for it.
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }
  await run(join(PROJECT, 'node_modules/.bin/wrangler'), command, { cwd: PROJECT, env })
}
