// npm run lighthouse: scores every page with Lighthouse, as a phone and as a desktop, with invented data. npx fetches it.
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { launchDebugged } from '../test/support/browser/chromium.ts'
import { freePort } from '../test/support/e2e/local-start.ts'
import { startFilled } from '../test/support/browser/service.ts'
import { runCommand } from './command-line.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const LEAST_SCORE = 95

const HELP = `Usage: npm run lighthouse -- [ADDRESS …]

Scores pages with Lighthouse, from 0 to 100, as a phone and as a desktop, over invented data.

  ADDRESS   path of a page, such as /verify (default every page, but one document and one operation)

Example:
  npm run lighthouse -- /verify

Exit codes: 0 every score is at least ${LEAST_SCORE}, 1 a lower score, 2 wrong command line.`

const LIGHTHOUSE = 'lighthouse@13.5.0'
const DEVICES = { mobile: [], desktop: ['--preset=desktop'] } as const

/** Pages that are not scored: error pages, and one that forbids indexing. */
const UNSCORED_PAGES = new Set(['/404', '/failed', '/verify-offline'])

const isOfMany = (address: string): boolean => /^\/(?:docs|reference)\//.test(address)

/** One of the documents, and one of the operations. */
const SAMPLES = ['/docs/errors', '/reference/createChatCompletion']

function everyAddress(): string[] {
  const built = globSync('**/*.html', { cwd: 'dist/pages' }).map(
    (file) => `/${file.replace(/\.html$/, '').replace(/(?:^|\/)index$/, '')}`,
  )
  return [...built.filter((address) => !UNSCORED_PAGES.has(address) && !isOfMany(address)), ...SAMPLES].toSorted()
}

/** Audits to skip. This page's policy keeps Lighthouse from fetching /robots.txt; the other pages show that it exists. */
const SKIPPED_AUDITS: Readonly<Record<string, readonly string[]>> = { '/verify': ['--skip-audits=robots-txt'] }

const isMemberPage = (address: string): boolean => /^\/app(?:\/|$)/.test(address)

async function auditPages(addresses: readonly string[]): Promise<void> {
  const folder = await makeTemporaryFolder()
  const { run, service } = await startFilled(folder)
  const port = await freePort()
  const browser = await launchDebugged(join(folder, 'browser'), port)
  try {
    console.log(
      '| page | form | performance | accessibility | best practices | SEO |\n| --- | --- | ---: | ---: | ---: | ---: |',
    )
    for (const address of addresses.filter((one) => !isMemberPage(one))) await auditPage(service.origin + address, port)
    const page = await browser.newPage()
    await page.goto(`${service.origin}/sign-in`)
    await page.getByLabel('E-mail address').fill(service.filled.owner.email)
    await page.getByLabel('Password', { exact: true }).fill(service.filled.owner.password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/app')
    await page.close()
    for (const address of addresses.filter(isMemberPage)) await auditPage(service.origin + address, port)
  } finally {
    await browser.close()
    await run.stop()
  }
}

const ResultSchema = z.object({
  categories: z.record(
    z.string(),
    z.object({ score: z.number().nullable(), auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })) }),
  ),
  audits: z.record(z.string(), z.object({ score: z.number().nullable() })),
})
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']

/** Prints a line for each device. Audits that lower the score are printed to standard error. */
async function auditPage(url: string, port: number): Promise<void> {
  for (const [form, options] of Object.entries(DEVICES)) {
    const { pathname } = new URL(url)
    const { categories, audits } = await resultOf(url, port, [...options, ...(SKIPPED_AUDITS[pathname] ?? [])])
    // A page that forbids indexing gets no score for search engines.
    const scoredCategories = CATEGORIES.filter((name) => name !== 'seo' || audits['is-crawlable']?.score === 1)
    const scores = scoredCategories.map((name) => Math.round((categories[name]?.score ?? 0) * 100))
    console.log(
      `| \`${pathname}\` | ${form} | ${scores.join(' | ')}${scoredCategories.length < CATEGORIES.length ? ' | –' : ''} |`,
    )
    if (scores.every((score) => score >= LEAST_SCORE)) continue
    process.exitCode = 1
    const costly = scoredCategories
      .flatMap((name) => categories[name]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
    console.error(`${url}, ${form}: ${costly.map(({ id }) => id).join(', ')}`)
  }
}

async function resultOf(url: string, port: number, options: readonly string[]): Promise<z.infer<typeof ResultSchema>> {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '--yes',
      LIGHTHOUSE,
      url,
      '--port',
      String(port),
      '--disable-storage-reset',
      '--output=json',
      '--quiet',
      ...options,
    ],
    // Lighthouse needs a Node as new as this one.
    {
      env: { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) },
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  return ResultSchema.parse(JSON.parse(stdout))
}

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {},
  takesArguments: true,
  async run({ positionals }) {
    await auditPages(positionals.length === 0 ? everyAddress() : positionals)
    return Number(process.exitCode ?? 0)
  },
})
