// Tests parts of the pages' build: the key that visitors share, security.txt (RFC 9116), the rules of forms, and how files are replaced.
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, it } from 'vitest'
import { createTestHarness } from 'wrangler'
import { formSchemaOf } from '../../scripts/pages/form-schemas.ts'
import { movedIntoPlace } from '../../scripts/pages/moved-into-place.ts'
import { operationsOf, type ApiDocument } from '../../src/pages/reference/openapi-document.ts'
import { securityTextOf } from '../../scripts/pages/security-text.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-11-21T00:00:00Z')

const MOST_SCRIPT = 60 * 1024
/** The one sheet of all pages, compressed. */
const MOST_STYLE = 12 * 1024
const MOST_FONTS = 60 * 1024
/** Counts a public page itself, its sheet and its scripts. All pages share the three fonts and the icon. */
const MOST_FILES = 8
/** Counts the same of the overview, which has two fonts beside it: 12 files at the first visit. */
const MOST_OVERVIEW_FILES = 10
const MOST_SEARCH_FILE = 60 * 1024
/** The page's own script, what all pages share, and the script of the theme. */
const MOST_DOCUMENT_SCRIPTS = 3

/** The scripts and sheets that a page names. */
const filesOf = (folder: string, page: string): string[] =>
  Array.from(
    readFileSync(join(folder, page), 'utf8').matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g),
    ([, name = '']) => name,
  )

/** Bytes, gzip, of what a page names. */
const loadedBy = (folder: string, page: string, ending: 'js' | 'css'): number =>
  filesOf(folder, page)
    .filter((name) => name.endsWith(`.${ending}`))
    .reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0)

async function withPages(settings: Record<string, string>, look: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pages-'))
  try {
    const options = ['build', '--logLevel', 'warn', '--outDir', folder, '--emptyOutDir']
    // The pages as they are shipped: under the tests' own NODE_ENV the libraries keep what only developers need.
    await promisify(execFile)('vite', options, { env: { ...process.env, NODE_ENV: 'production', ...settings } })
    await look(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The JSON answers of the operation that a page of the reference is about. */
function answersOf(html: string): { status: string; example: string | undefined }[] {
  const [, part = '{}'] = /<script type="application\/json" id="operation">(.+?)<\/script>/s.exec(html) ?? []
  return operationsOf(JSON.parse(part) as ApiDocument).flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([type]) => type.includes('json'))
        .map(([, { example }]) => ({ status, example: JSON.stringify(example) })),
    ),
  )
}

/** As the platform serves them. */
async function expectServed(folder: string, securityText: string): Promise<void> {
  const config = { name: 'pages', compatibility_date: '2026-11-02', assets: { directory: folder } }
  const harness = createTestHarness({ workers: [{ config }] })
  const { url } = await harness.listen()
  const response = await fetch(new URL('/.well-known/security.txt', url))
  const served = { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  await harness.close()
  expect(served).toEqual({ status: 200, type: 'text/plain; charset=utf-8', text: securityText })
}

it('puts the contact where it belongs, for most of a year', async () => {
  await withPages({ PAGES_SECURITY_CONTACT: 'mailto:security@hospital.example' }, async (folder) => {
    const text = await readFile(join(folder, '.well-known/security.txt'), 'utf8')
    await expectServed(folder, text)
    const [contact, expires] = text.split('\n')
    expect(contact).toBe('Contact: mailto:security@hospital.example')
    const left = Date.parse(expires?.replace('Expires: ', '') ?? '') - Date.now()
    expect(left).toBeGreaterThan(363 * DAY_MS)
    expect(left).toBeLessThan(365 * DAY_MS)
  })
})

it('names no contact where there is none, loads no more than a page may, and says what to do without JavaScript', async () => {
  await withPages({ PAGES_SECURITY_CONTACT: '' }, async (folder) => {
    // The checker as one file is the checker's page.
    const pages = globSync('**/*.html', { cwd: folder, exclude: ['verify-offline.html'] })
    const heavy = pages.filter(
      (page) => loadedBy(folder, page, 'js') > MOST_SCRIPT || loadedBy(folder, page, 'css') > MOST_STYLE,
    )
    expect(heavy).toEqual([])
    const scripts = globSync('assets/*.js', { cwd: folder })
    // The name of zod's own members is kept whatever the names around them become.
    expect(scripts.filter((file) => readFileSync(join(folder, file), 'utf8').includes('_zod'))).toEqual([])
    const publicPages = pages.filter((page) => !/^app\b/.test(page))
    expect(publicPages.filter((page) => 1 + filesOf(folder, page).length > MOST_FILES)).toEqual([])
    expect(1 + filesOf(folder, 'app.html').length).toBeLessThanOrEqual(MOST_OVERVIEW_FILES)
    const fonts = globSync('assets/*.woff2', { cwd: folder }).map((file) => statSync(join(folder, file)).size)
    expect(fonts).toHaveLength(3)
    expect(fonts.reduce((sum, size) => sum + size)).toBeLessThan(MOST_FONTS)
    const searched = globSync('assets/search-*.json', { cwd: folder }).map((file) => readFileSync(join(folder, file)))
    expect(searched).toHaveLength(1)
    expect(searched.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(MOST_SEARCH_FILE)
    const documents = pages.filter((page) => /^docs\b/.test(page))
    const linked = documents.map((page) => readFileSync(join(folder, page), 'utf8').match(/assets\/[^"]+\.js/g))
    expect(documents.filter((_, at) => (linked[at]?.length ?? 0) > MOST_DOCUMENT_SCRIPTS)).toEqual([])
    expect(existsSync(join(folder, '.well-known'))).toBe(false)

    const texts = pages.map((page) => readFileSync(join(folder, page), 'utf8'))
    const titles = texts.map((text) => /<title>(.+)<\/title>/.exec(text)?.[1])
    expect(new Set(titles)).toHaveLength(pages.length)
    const mute = pages.filter(
      (_, at) => /id="island"/.test(texts[at] ?? '') && !/<noscript>\s*<p/.test(texts[at] ?? ''),
    )
    expect(mute).toEqual([])

    const operations = pages.filter((page) => page.startsWith('reference/'))
    expect(operations.length).toBeGreaterThan(100)
    const unfinished = operations.flatMap((page) =>
      answersOf(texts[pages.indexOf(page)] ?? '')
        .filter(({ status, example }) => example === undefined || (status.startsWith('2') && example.includes('…')))
        .map(({ status }) => `${page} ${status}`),
    )
    expect(unfinished).toEqual([])
  })
})

it('keeps the files of the last build while it writes, and removes those that it no longer makes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pages-'))
  const [written, served] = [join(folder, 'written'), join(folder, 'served')]
  const filesWhileWriting: string[][] = []
  const buildFiles = async (names: readonly string[]): Promise<void> => {
    await writeFile(join(folder, 'page.js'), '')
    await build({
      root: folder,
      logLevel: 'silent',
      build: {
        outDir: written,
        rolldownOptions: { input: join(folder, 'page.js'), output: { entryFileNames: 'page.js' } },
      },
      plugins: [
        {
          name: 'named-files',
          generateBundle() {
            for (const fileName of names) this.emitFile({ type: 'asset', fileName, source: names.join() })
          },
          async writeBundle() {
            filesWhileWriting.push(await readdir(served).catch(() => []))
          },
        },
        movedIntoPlace(written, served),
      ],
    })
  }
  try {
    await buildFiles(['a/kept', 'a/dropped'])
    await buildFiles(['a/kept', 'b/added'])
    expect(filesWhileWriting).toEqual([[], ['a', 'page.js']])
    const files = globSync('**/*', { cwd: served, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.map(({ name }) => name).toSorted()).toEqual(['added', 'kept', 'page.js'])
    expect(await readFile(join(served, 'a/kept'), 'utf8')).toBe('a/kept,b/added')
    expect(existsSync(written)).toBe(false)
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('tells the form of a policy the kind of each field, also within rules', () => {
  const policy = formSchemaOf('policy')?.properties ?? {}
  expect(policy['budget_guard']?.properties?.['alert_percent']).toMatchObject({
    type: 'array',
    items: { type: 'integer' },
  })
  expect(policy['model_allowlist']?.properties?.['by_key']).toMatchObject({ type: 'object', each: { type: 'array' } })
  expect(Object.values(policy).filter(({ type }) => type === undefined)).toEqual([])
})

it.each(['security@hospital.example', 'http://hospital.example', 'mailto:a@b.example\nExpires: never', 'mailto:'])(
  'refuses %j as a contact',
  (contact) => {
    expect(() => securityTextOf(contact, NOW)).toThrow('PAGES_SECURITY_CONTACT')
  },
)

it('takes a page of the web as a contact', () => {
  expect(securityTextOf('https://hospital.example/security', NOW)).toMatch(
    /^Contact: https:\/\/hospital\.example\/security\nExpires: 2027-11-20T00:00:00\.000Z\n/,
  )
})
