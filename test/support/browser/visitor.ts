// Somebody at a browser, of whom everything is noted that no page may do: messages in the console, violations of its policy, errors that
// nobody caught, requests to another origin.
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { sendingAgain } from '../sending-again.ts'

export type Look = {
  scheme?: 'light' | 'dark'
  width?: number
  height?: number
  javaScript?: boolean
  /** The faults that a test itself brings about. */
  provoked?: RegExp
}

export type Visitor = {
  context: BrowserContext
  page: Page
  /** Faults of a page, empty if all is well. A refusal of the service is one, unless the test provokes it. */
  faults: string[]
  provoked: RegExp
  leave: () => Promise<void>
}

/** Matches the browser's own message about a request that a test has aborted. */
const ABORTED = /^Failed to load resource: net::ERR_FAILED$/

/** Matches the browser's own message about a request that the service refused. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4/

/** A page for people who have not signed in learns by this refusal that nobody has. */
const SIGNED_OUT = /status of 401 .* at \/api\/auth\/me$/

/** Matches that the service refused a request with one of these statuses, for a test that provokes it. */
export const refusedWith = (...statuses: readonly number[]): RegExp =>
  new RegExp(`with a status of (?:${statuses.join('|')}) `)

/** Matches the browser's own message about what signing out cleared. */
const CLEARED = /^Clear-Site-Data header on/

/** Matches what the browser says of an answer by which a test has the service fail. */
export const FAILING = /^console: error Failed to load resource: the server responded with a status of 500 /

/** For whatever a test looks for: however busy the machine is. */
const PATIENCE_MS = 90_000

const visited: { faults: readonly string[]; provoked: RegExp }[] = []

/** Returns and clears the faults of all pages, without those that a test provokes. */
export const takeFaults = (): string[] => visited.splice(0).flatMap(unprovoked)

/** Returns the faults of a page that no test provokes. */
export const unprovoked = ({ faults, provoked }: { faults: readonly string[]; provoked: RegExp }): string[] =>
  faults.filter((fault) => !provoked.test(fault))

export async function visit(browser: Browser, origin: string, look: Look = {}): Promise<Visitor> {
  const { scheme = 'light', width = 1280, height = 800, javaScript = true, provoked = /^$/ } = look
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: scheme,
    // No colour is half-way to another when it is looked at.
    reducedMotion: 'reduce',
    viewport: { width, height },
    javaScriptEnabled: javaScript,
    locale: 'en-IE',
    timezoneId: 'Europe/Dublin',
    extraHTTPHeaders: fromSomewhere(),
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const faults: string[] = []
  await context.exposeBinding('noteFault', (_, fault: string) => void faults.push(fault))
  await context.addInitScript(`
    document.addEventListener('securitypolicyviolation', (event) =>
      noteFault('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))
    globalThis.layoutShift = 0
    let firstInput = Infinity
    for (const type of ['pointerdown', 'keydown'])
      addEventListener(type, ({ timeStamp }) => (firstInput = Math.min(firstInput, timeStamp)), true)
    new PerformanceObserver((list) => {
      for (const { startTime, value } of list.getEntries()) if (startTime < firstInput) globalThis.layoutShift += value
    }).observe({ type: 'layout-shift', buffered: true })
    globalThis.fetch = (${sendingAgain.toString()})(fetch)`)
  context.on('console', (message) => {
    const { pathname } = new URL(message.location().url, origin)
    const isOfApi = /^\/(?:api\/|v1\/|healthz$)/.test(pathname)
    const text = message.text() + (isOfApi && REFUSED.test(message.text()) ? ` at ${pathname}` : '')
    const isExpected = CLEARED.test(text) || SIGNED_OUT.test(text) || (isOfApi && ABORTED.test(text))
    if (!isExpected) faults.push(`console: ${message.type()} ${text}`)
  })
  context.on('weberror', (error) => faults.push(`error: ${error.error().message}`))
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'blob:') faults.push(`request: ${request.url()}`)
  })
  visited.push({ faults, provoked })
  if (LATE_MS > 0) await makeLate(context)
  const page = await context.newPage()
  return { context, page, faults, provoked, leave: () => leave(context) }
}

/** Closes the pages. A changed answer still on its way then has no page, and its error is nobody's. */
async function leave(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
}

/** Keeps messages of two seconds on the page, so that a late look sees them too. */
export const keepShown = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(`{
    const wait = globalThis.setTimeout
    globalThis.setTimeout = (act, ms, ...given) => (ms === 2000 ? 0 : wait(act, ms, ...given))
  }`)

/** Frames, timers and answers come so many milliseconds later, as on a busy machine: what a test or a page does not wait for shows. */
const LATE_MS = Number(process.env['PAGES_LATE_MS'] ?? 0)

async function makeLate(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{
    const { requestAnimationFrame: nextFrame, setTimeout: wait } = globalThis
    globalThis.setTimeout = (act, ms = 0, ...given) => wait(act, ms + ${LATE_MS}, ...given)
    globalThis.requestAnimationFrame = (act) => wait(() => nextFrame(act), ${LATE_MS})
  }`)
  context.on('page', async (page) => {
    const debug = await context.newCDPSession(page)
    await debug.send('Network.enable')
    const network = { latency: LATE_MS, offline: false, downloadThroughput: -1, uploadThroughput: -1 }
    await debug.send('Network.emulateNetworkConditions', network)
  })
}

/** Each at a network of their own: what is counted for one holds up nobody else. The platform sets it, and locally whoever asks. */
export const fromSomewhere = (): Record<string, string> => ({
  'cf-connecting-ip': `10.${randomInt(256)}.${randomInt(256)}.1`,
})

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')
const RULES: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  // The rules need no style sheet that axe would fetch.
  preload: false,
}

/** Runs an act with all rows drawn: those out of sight have only a guessed place, and lie over each other. */
const DRAWN = `;globalThis.drawn = async (act) => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('.grid tbody { content-visibility: visible !important }')
  document.adoptedStyleSheets.push(sheet)
  const result = await act()
  document.adoptedStyleSheets.pop()
  return result
}`

/** Returns axe's findings, a line each. Runs by the debugger, because the page's policy blocks other scripts. */
export async function barriersOf({ context, page }: Pick<Visitor, 'context' | 'page'>): Promise<string[]> {
  const debug = await context.newCDPSession(page)
  const { result: kind } = await debug.send('Runtime.evaluate', { expression: 'typeof axe' })
  if (kind.value === 'undefined') await debug.send('Runtime.evaluate', { expression: AXE + DRAWN })
  const { result } = await debug.send('Runtime.evaluate', {
    expression: `drawn(() => axe.run(document, ${JSON.stringify(RULES)})).then((found) => JSON.stringify(found))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await debug.detach()
  const { violations } = JSON.parse(String(result.value)) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`),
  )
}

/** By how many pixels the page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)')

/** Buttons and fields below 44 px, by their words. What axe finds is below 24. */
export const lowOnesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.button, select, input:not([type=checkbox], [type=radio], [type=file])')]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.9)
    .map((one) => one.textContent || one.name || one.outerHTML)`)

/** How far things jumped before anybody touched the page. An answer after a click may come late on a busy machine. */
export const shiftOf = (page: Page): Promise<number> => page.evaluate('globalThis.layoutShift')
