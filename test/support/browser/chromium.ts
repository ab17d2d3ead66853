// A real browser from the dependencies alone: nothing of it is installed on the machine. CHROMIUM_PATH names another one.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inflate } from '@sparticuz/chromium'
import { chromium, type Browser } from 'playwright-core'
import { z } from 'zod'

const PACKAGE = 'node_modules/@sparticuz/chromium'
const CACHE = resolve('node_modules/.cache')
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br']

export async function launchChromium(): Promise<Browser> {
  const given = process.env['CHROMIUM_PATH']
  const folder = given === undefined ? await unpacked() : ''
  return chromium.launch({
    executablePath: given ?? join(folder, 'chromium'),
    // SECURITY: never the package's own `args`, which switch the same-origin policy off.
    chromiumSandbox: false,
    env: {
      ...definedIn(process.env),
      LD_LIBRARY_PATH: [process.env['LD_LIBRARY_PATH'], join(folder, 'al2023/lib')].filter(Boolean).join(':'),
    },
  })
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
