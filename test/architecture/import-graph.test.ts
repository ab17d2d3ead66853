// Checks who may import whom, and which names a file may have. The linter finds cycles. docs/architecture.md draws the same picture.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = 'src'

/** Each folder of src and those it may import from, beside itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  platform: [],
  evidence: ['platform'],
  tiles: ['platform', 'evidence'],
  'public-log': ['platform', 'evidence', 'tiles'],
  keys: ['platform', 'evidence', 'providers'],
  providers: ['platform'],
  scanning: ['platform', 'providers'],
  policies: ['platform', 'evidence', 'providers', 'scanning'],
  reports: ['platform', 'evidence', 'keys', 'scanning', 'policies', 'providers'],
  notifications: ['platform'],
  organisation: [
    'platform',
    'evidence',
    'tiles',
    'public-log',
    'keys',
    'providers',
    'policies',
    'reports',
    'notifications',
  ],
  accounts: ['platform', 'evidence', 'tiles', 'public-log', 'keys', 'providers', 'policies', 'organisation'],
  management: [
    'platform',
    'evidence',
    'tiles',
    'public-log',
    'keys',
    'providers',
    'policies',
    'reports',
    'notifications',
    'organisation',
    'accounts',
  ],
  referral: [
    'platform',
    'evidence',
    'public-log',
    'keys',
    'scanning',
    'policies',
    'providers',
    'organisation',
    'accounts',
  ],
  gateway: [
    'platform',
    'evidence',
    'tiles',
    'public-log',
    'keys',
    'scanning',
    'policies',
    'providers',
    'organisation',
    'accounts',
  ],
}

/** Files that the pages may run: every visitor downloads them. Types may come from anywhere. */
const RUN_BY_PAGES = [
  /^src\/pages\//,
  /^src\/evidence\//,
  /^src\/scanning\/identifiers\//,
  /^src\/accounts\/(access\/roles|members\/members|sign-in\/password-rules|oauth\/return-path)\.policy\.ts$/,
  /^src\/management\/export\/export-sections\.policy\.ts$/,
  /^src\/keys\/key-permission\.policy\.ts$/,
  /^src\/notifications\/(webhook-events|notices\.words)\.ts$/,
  /^src\/management\/notifications\/notices\.policy\.ts$/,
  /^src\/organisation\/usage\/latency-histogram\.ts$/,
  /^src\/platform\/(data-region|groupings|ids|json|money|shown-difference)\.ts$/,
  /^src\/policies\/((?:tier|loops|log-retention)\.policy|document\/policy-changes|rules\/(?:[a-z-]+[.-])?words)\.ts$/,
  /^src\/reports\/(controls\/(?:recent-evidence|stated-cause)\.policy|statistics\/compared-outcomes)\.ts$/,
  /^data\/common-passwords\.json$/,
]

const SUFFIXES = new Set([
  'schema',
  'routes',
  'service',
  'policy',
  'rule',
  'words',
  'store',
  'do',
  'target',
  'middleware',
  'view',
  'page',
  'client',
])
const BANNED_NAMES = /(^|[-/.])(utils?|helpers?|common|types|misc|shared)([-./]|$)/

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .toSorted()
}

const sources = filesOf(SRC)

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target]) => normalize(join(dirname(path), target ?? '')))
}

/** Without those of types alone. */
function importedValuesOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/^(?:import|export)(?! type)\s[^']*?from '(\.[^']+)'/gm)].map(([, target]) =>
    normalize(join(dirname(path), target ?? '')),
  )
}

const folderOf = (path: string): string => relative(SRC, path).split('/')[0] ?? ''

describe('the import graph', () => {
  it.each(Object.keys(MAY_IMPORT))('%s imports only from the folders below it', (folder) => {
    const allowed = new Set([folder, ...(MAY_IMPORT[folder] ?? [])])
    const wrong = sources
      .filter((path) => folderOf(path) === folder)
      .flatMap((path) =>
        importsOf(path)
          .filter((target) => target.startsWith(`${SRC}/`) && !allowed.has(folderOf(target)))
          .map((target) => `${path} -> ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('has pages that run nothing of the rest but what anybody may check and find with', () => {
    const wrong = sources
      .filter((path) => folderOf(path) === 'pages')
      .flatMap((path) =>
        importedValuesOf(path)
          .filter((target) => !RUN_BY_PAGES.some((pattern) => pattern.test(target)))
          .map((target) => `${path} -> ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('has nothing in src that imports scripts or tests', () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => /^(?:scripts|test)\//.test(target))
        .map((target) => `${path} -> ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('knows every folder', () => {
    const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).filter((name) => name !== 'pages' && !(name in MAY_IMPORT))).toEqual([])
  })

  it('opens Durable Objects in one file only', () => {
    const openers = sources.filter((path) =>
      /\bidFromName\b|\bgetByName\b|\bidFromString\b/.test(readFileSync(path, 'utf8')),
    )
    expect(openers).toEqual(['src/platform/durable-object.ts'])
  })
})

describe('names', () => {
  it('says the role of a file', () => {
    const wrong = sources.filter((path) => {
      const [, suffix] = /\/[a-z0-9]+(?:-[a-z0-9]+)*(?:\.([a-z]+))?\.tsx?$/.exec(path) ?? [null, 'no name']
      return BANNED_NAMES.test(path) || (suffix !== undefined && !SUFFIXES.has(suffix))
    })
    expect(wrong).toEqual([])
  })

  it('gives each migration of the database a number of its own', () => {
    const numbers = readdirSync('data/migrations').map((name) => name.slice(0, 4))
    expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')))
  })
})
