// npm run pages, and the [build] command of wrangler.toml: builds the pages (vite.config.ts) into dist/pages, unless nothing has
// changed since the last build. BUILD_PAGES=never leaves them as they are, for builds of which only the Worker is used.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { runCommand } from './command-line.ts'
import { faultOf } from './local/folder-fault.mjs'
import { findEditedMigrations } from './migrations.ts'

const PROJECT = join(import.meta.dirname, '..')
const BUILT = join(PROJECT, 'dist/pages')
const STAMP = join(PROJECT, 'dist/pages.sha256')

/** The room of two builds, since one is made beside the other. */
const PAGES_MB = 30

/** Everything that the pages are made from. */
const SOURCES = ['src/**', 'docs/*.md', 'data/*.json', 'scripts/**/*.{ts,json}', 'vite.config.ts', 'package-lock.json']

const BUILD = join(PROJECT, 'dist/build.json')

/** Without packages, data and settings: operators write ids and prices of their own there. */
const WORKER_SOURCES = ['src/**/*', 'package-lock.json']

const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/**
 * Writes the hash of the source, which the Worker names in the logs that it writes. Anybody with the revision makes it again:
 * docs/coverage.md has the command.
 */
function writeBuild(): void {
  const files = globSync(WORKER_SOURCES, { cwd: PROJECT, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(PROJECT, join(file.parentPath, file.name)).replaceAll('\\', '/'))
  const sorted = files.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const lines = sorted.map((file) => `${hashOf(readFileSync(join(PROJECT, file)))}  ${file}\n`)
  const text = `${JSON.stringify({ source_sha256: hashOf(lines.join('')) })}\n`
  if (readOr(BUILD, '') === text) return
  refuseUnwritable()
  mkdirSync(dirname(BUILD), { recursive: true })
  writeFileSync(BUILD, text)
}

function refuseUnwritable(): void {
  const fault = faultOf(BUILT, PAGES_MB)
  if (fault !== null) throw new Error(`The pages cannot be built in dist/pages: ${fault}.`)
}

/**
 * Builds the pages if a source or a setting has changed. Throws if the build fails.
 * @param onBuild called before a build
 * @param signal ends the build
 */
export async function buildPages(onBuild: () => void = () => {}, signal?: AbortSignal): Promise<void> {
  writeBuild()
  const sources = stampOfSources()
  if (readOr(STAMP, '') === sources + stampOfBuilt()) return
  refuseUnwritable()
  onBuild()
  // An interrupted build leaves files of two builds.
  rmSync(STAMP, { force: true })
  // A process of its own, because vite changes the environment of its process.
  const vite = [join(PROJECT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn']
  const child = spawn(process.execPath, vite, { cwd: PROJECT, stdio: 'inherit', signal })
  await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error('The pages cannot be built. vite says why above.')
  // A source that changed meanwhile may be in some pages only.
  if (stampOfSources() === sources) writeFileSync(STAMP, sources + stampOfBuilt())
}

/** Returns a hash of the names and sizes of the built files. */
function stampOfBuilt(): string {
  const files = globSync('**/*', { cwd: BUILT }).toSorted()
  const sizes = files.map((file) => `${file} ${statSync(join(BUILT, file)).size}`)
  return createHash('sha256').update(sizes.join('\n')).digest('hex')
}

function stampOfSources(): string {
  const hash = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: PROJECT }).toSorted()) {
    const content = readOr(join(PROJECT, file), null)
    if (content !== null) hash.update(`${file}\0${content.length}\0${content}`)
  }
  const settings = Object.entries(process.env)
    .filter(([name]) => name.startsWith('PAGES_'))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
  // security.txt has an expiry date, so a build with it is good for a day.
  const day = settings.length > 0 ? new Date().toISOString().slice(0, 10) : null
  return hash.update(JSON.stringify([settings, day])).digest('hex')
}

/** Returns the file's text, or `otherwise` if it cannot be read, such as a folder. */
function readOr<T>(file: string, otherwise: T): string | T {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

function refuseEditedMigrations(): void {
  const edited = findEditedMigrations()
  if (edited.length === 0) return
  throw new Error(
    `${edited.join(', ')} of data/migrations: not the text that data/migrations.json has the hash of. An applied migration is never edited: undo that, and put the change into a new file, with its hash in both.`,
  )
}

async function namePlaceholders(environment: string): Promise<void> {
  // wrangler takes most of a second to load.
  const { findPlaceholders } = await import('./wrangler-settings.ts')
  const places = findPlaceholders(environment)
  if (places.length === 0) return
  console.log(`wrangler.toml, [env.${environment}] still has placeholders: ${places.join(', ')}. See docs/deploy.md.`)
}

/** SECURITY: names, never values. */
async function nameLeftOut(environment: string | undefined): Promise<void> {
  const { findLeftOut } = await import('./wrangler-settings.ts')
  const names = findLeftOut(environment)
  if (names.length > 0)
    console.log(
      `wrangler dev does not read these settings of .dev.vars: ${names.join(', ')}. npm start reads all of them.`,
    )
}

const HELP = `Usage: npm run pages -- [--env staging|production]

Builds the pages into dist/pages, unless nothing has changed since the last build.
BUILD_PAGES=never in the environment leaves them as they are.

  --env NAME   also names the placeholders that this environment of wrangler.toml still has.
               wrangler.toml sets it, so wrangler deploy --dry-run names them

Refuses if an applied migration was edited.

Examples:
  npm run pages
  npm run pages -- --env production

Exit codes: 0 built or unchanged, 1 not built, 2 wrong command line.`

if (process.argv[1] === import.meta.filename) {
  try {
    process.exitCode = await runCommand(process.argv.slice(2), {
      help: HELP,
      options: { env: { type: 'string' } },
      run: async ({ values: { env } }) => {
        refuseEditedMigrations()
        if (env !== undefined) await namePlaceholders(env)
        // wrangler tells the build which of its commands runs it.
        if (process.env['WRANGLER_COMMAND'] === 'dev') await nameLeftOut(env)
        if (process.env['BUILD_PAGES'] === 'never') writeBuild()
        else await buildPages()
      },
    })
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : 'failed')
    process.exitCode = 1
  }
}
