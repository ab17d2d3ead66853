// How long checking evidence takes in a browser, by the page saved as one file, beside the command: npm run bench -- verify [--lines N]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { makeEvidence, oldKey } from '../../test/fixtures/evidence/invented-evidence.ts'
import { launchChromium } from '../../test/support/browser/chromium.ts'

const PAGE = resolve('dist/pages/verify-offline.html')
const ROUNDS = 9

type Measured = { ms: number; longestMs: number; peakMiB: number }

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** What the browser does at one go, in which it neither draws nor listens. */
const WATCH_TASKS = `
  globalThis.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration)
  }).observe({ type: 'longtask' })`

async function measure(browser: Browser, file: string): Promise<Measured> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.addInitScript(WATCH_TASKS)
  await page.goto(pathToFileURL(PAGE).href)
  await page.locator('input[type=file]').first().setInputFiles(file)
  await page.getByLabel('Keys that you trust', { exact: true }).fill(oldKey.publicKey)
  await page.evaluate('globalThis.longest = 0')
  const debug = await context.newCDPSession(page)
  await debug.send('Performance.enable')
  const start = performance.now()
  await page.getByRole('button', { name: 'Check it' }).click()
  const peakMiB = await watchHeap(page, debug)
  const ms = performance.now() - start
  const longestMs = Number(await page.evaluate('globalThis.longest'))
  await context.close()
  return { ms, longestMs, peakMiB }
}

/** The most that was in use, until there is a verdict. */
async function watchHeap(page: Page, debug: CDPSession): Promise<number> {
  let peak = 0
  const verdict = page.getByRole('heading', { name: 'Valid', exact: true }).waitFor({ timeout: 0 })
  for (let isOver = false; !isOver;) {
    const { metrics } = await debug.send('Performance.getMetrics')
    peak = Math.max(peak, metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0)
    isOver = await Promise.race([verdict.then(() => true), pause(200).then(() => false)])
  }
  return peak / 2 ** 20
}

function commandMs(file: string): number {
  const start = performance.now()
  const { status, stderr } = spawnSync(
    process.execPath,
    ['scripts/countersign-verify.ts', file, '--key', oldKey.publicKey],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`the command did not find it valid: ${stderr}`)
  return performance.now() - start
}

const { values } = parseArgs({ options: { lines: { type: 'string', default: '10000' } } })
const mostLines = Number(values.lines)
if (!Number.isSafeInteger(mostLines) || mostLines < 1) throw new RangeError('--lines takes a whole number from 1 on')
if (!existsSync(PAGE)) throw new Error('The pages are not built: npm run pages')

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-verify-'))
const browser = await launchChromium()
try {
  const { bundle, record } = await makeEvidence()
  const lines = (count: number): string => `${JSON.stringify(record)}\n`.repeat(count)
  const documents: Readonly<Record<string, { name: string; text: string; rounds: number }>> = {
    'a record': { name: 'record.json', text: JSON.stringify(record), rounds: ROUNDS },
    'an evidence bundle': { name: 'bundle.json', text: JSON.stringify(bundle), rounds: ROUNDS },
    '1,000 records': { name: 'thousand.jsonl', text: lines(1_000), rounds: 1 },
    [`${mostLines.toLocaleString('en-IE')} records`]: { name: 'many.jsonl', text: lines(mostLines), rounds: 1 },
  }
  console.log('what                     MiB   browser ms   longest task ms   peak heap MiB   command ms')
  for (const [what, { name, text, rounds }] of Object.entries(documents)) {
    const file = join(folder, name)
    writeFileSync(file, text)
    const measured: Measured[] = []
    for (let round = 0; round < rounds; round += 1) measured.push(await measure(browser, file))
    const cells = [
      (statSync(file).size / 2 ** 20).toFixed(1).padStart(6),
      median(measured.map(({ ms }) => ms))
        .toFixed(0)
        .padStart(13),
      Math.max(...measured.map(({ longestMs }) => longestMs))
        .toFixed(0)
        .padStart(18),
      Math.max(...measured.map(({ peakMiB }) => peakMiB))
        .toFixed(1)
        .padStart(16),
      median(Array.from({ length: rounds }, () => commandMs(file)))
        .toFixed(0)
        .padStart(13),
    ]
    console.log(`${what.padEnd(22)}${cells.join('')}`)
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
