// A real browser from the dependencies alone: nothing of it is installed on the machine. CHROMIUM_PATH names another one.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inflate } from '@sparticuz/chromium'
import { chromium, type Browser, type BrowserContext, type LaunchOptions } from 'playwright-core'
import * as z from 'zod'

const PACKAGE = 'node_modules/@sparticuz/chromium'
const CACHE = resolve('node_modules/.cache')
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br']

export const launchChromium = async (): Promise<Browser> => chromium.launch(await launchOptions())

/** One that other programs can drive beside us, all in the same session. @param folder where it keeps what it keeps */
export const launchDebugged = async (folder: string, port: number): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, { ...(await launchOptions()), args: [`--remote-debugging-port=${port}`] })

async function launchOptions(): Promise<LaunchOptions> {
  const given = process.env['CHROMIUM_PATH']
  const folder = given === undefined ? await unpacked() : ''
  return {
    executablePath: given ?? join(folder, 'chromium'),
    // SECURITY: never the package's own `args`, which switch the same-origin policy off.
    chromiumSandbox: false,
    // So many milliseconds between two acts: what a journey takes at the pace of a person (docs/performance.md).
    slowMo: Number(process.env['PACE_MS'] ?? 0),
    env: {
      ...definedIn(process.env),
      LD_LIBRARY_PATH: [process.env['LD_LIBRARY_PATH'], join(folder, 'al2023/lib')].filter(Boolean).join(':'),
    },
  }
}

const definedIn = (variables: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The folder of it, unpacked once for each version. */
async function unpacked(): Promise<string> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')))
  const folder = join(CACHE, `chromium-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  // The package unpacks into TMPDIR under fixed names, and two runs may do so at once.
  const own = mkdtempSync(join(CACHE, 'chromium-'))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = own
  try {
    await Promise.all(ARCHIVES.map((file) => inflate(join(PACKAGE, 'bin', file))))
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  try {
    renameSync(own, folder)
  } catch {
    rmSync(own, { recursive: true })
  }
  return folder
}
