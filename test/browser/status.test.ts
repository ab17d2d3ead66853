// Tests the status page: what it asks, what it says of the answers, of no answer, and of a head that nobody signed, and of the heads of 90 days.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createSigner, throwAwayKeys } from '../../src/evidence/records/configured-keys.ts'
import { toPublishedKey } from '../../src/evidence/records/key-history.ts'
import { signPublicHead, type PublicHead } from '../../src/evidence/records/tree-head.ts'
import { pageOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { FAILING } from '../support/browser/visitor.ts'

const HEALTH = '**/healthz'
const HEAD = '**/v1/public/transparency/sth'
const HEADS = '**/v1/public/transparency/heads'
const CHECKPOINT = '**/v1/public/transparency/checkpoint'
const KEYS = '**/v1/attestation/keys'

const region = (page: Page, name: string) => page.getByRole('region', { name })
const row = (page: Page, name: string) => region(page, 'Components').getByRole('listitem').filter({ hasText: name })
const headline = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })

const failing = {
  status: 500,
  json: { error: { code: 'internal_error', message: 'Something failed here.', request_id: 'req_1' } },
}

it('says first that everything answers, then how fast, how old the figures are, and that the head is signed', async () => {
  const page = await open(null, '/status')
  await headline(page, 'All 6 components answer').waitFor()
  await expect.poll(() => page.locator('.lead').innerText()).toMatch(/^Asked by this browser on \d/)
  await expect
    .poll(() =>
      region(page, 'Components')
        .getByRole('listitem')
        .filter({ hasText: /\d m?sAnswers$/ })
        .count(),
    )
    .toBe(6)
  await expect
    .poll(() => region(page, 'Age of the published figures').innerText())
    .toMatch(/\d+ days? since the day they count, 24 Sept 2026/)
  await expect
    .poll(() => region(page, 'Head of the public log').innerText())
    .toMatch(/\d+ entr(?:y|ies)\s+Signature\s+Valid Checked in this browser[^]+[0-9a-f]{20}…[0-9a-f]{8}/)
  await expect
    .poll(() => region(page, 'Head of the public log').locator('[title]').getAttribute('title'))
    .toMatch(/^[0-9a-f]{64}$/)
})

it('shows green for the checked signature alone, and witnesses as not checked', async () => {
  const page = await pageOf(null)
  const cosigned = Buffer.concat([
    Buffer.from('b7802f44', 'hex'),
    Buffer.from('000000006b0768ff', 'hex'),
    Buffer.alloc(64),
  ])
  const root = Buffer.alloc(32).toString('base64')
  await page.route(CHECKPOINT, (route) =>
    route.fulfill({
      contentType: 'text/plain',
      body: `log.example\n7\n${root}\n\n— log.example ${cosigned.toString('base64')}\n— witness.example/w1 ${cosigned.toString('base64')}\n`,
    }),
  )
  await open(page, '/status')
  await expect
    .poll(() => region(page, 'Head of the public log').getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^witness\.example\/w1\s+Key b7802f44, dated 25 Nov 2026, [\d:]+ UTC\s+Not checked$/),
    ])
  await expect.poll(() => page.locator('.good').allInnerTexts()).toEqual(['Valid'])
})

it('is marked in the menu as the page that is open', async () => {
  const page = await pageOf(null)
  await page.goto('/status')
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Main' }).locator('[aria-current]').allInnerTexts())
    .toEqual(['Status'])
})

it('asks again when it is told to, and says when it asked', async () => {
  const page = await open(null, '/status')
  const first = await page.locator('time').first().getAttribute('datetime')
  const asked = page.waitForRequest(HEALTH)
  await page.getByRole('button', { name: 'Ask again' }).click()
  await asked
  await expect.poll(() => page.locator('time').first().getAttribute('datetime')).not.toBe(first)
  await headline(page, 'All 6 components answer').waitFor()
})

it('says of each by itself that it does not answer', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(HEALTH, (route) => route.abort())
  await open(page, '/status')
  await headline(page, 'Service and Published figures do not answer').waitFor()
  await expect.poll(() => row(page, 'It takes requests').innerText()).toMatch(/No answer[^]+could not be reached/)
  await expect.poll(() => region(page, 'Age of the published figures').innerText()).toContain('Not known')
  await expect.poll(() => row(page, 'Public log').innerText()).toContain('Answers')
  await page.unroute(HEALTH)
  await page.route(HEAD, (route) => route.fulfill(failing))
  await page.getByRole('button', { name: 'Ask again' }).click()
  await headline(page, 'Public log does not answer').waitFor()
  await expect.poll(() => row(page, 'Public log').innerText()).toContain('Something failed here.')
  await expect.poll(() => page.locator('.good').count()).toBe(0)
})

it('does not know where nothing answers', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(/\/(?:healthz|v1\/|api\/)/, (route) => route.abort())
  await open(page, '/status')
  await headline(page, 'Not known').waitFor()
  await expect.poll(() => page.locator('.lead').innerText()).toContain('Nothing answered')
  await expect.poll(() => page.locator('.good').count()).toBe(0)
})

it('says of each that no answer came in time', async () => {
  const page = await pageOf(null)
  await page.addInitScript(
    'const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 10_000 ? 1 : ms)',
  )
  const never = Promise.withResolvers<void>()
  await page.route(/\/(?:healthz|v1\/|api\/)/, () => never.promise)
  await open(page, '/status')
  await headline(page, 'Not known').waitFor()
  await expect.poll(() => row(page, 'Signing keys').innerText()).toContain('No answer within 10 seconds.')
  never.resolve()
})

it('names the parts of the service that fail', async () => {
  const page = await pageOf(null, { provoked: /503/ })
  const degraded = { status: 'degraded', parts: ['tables', 'log_key'], dataset: null }
  await page.route(HEALTH, (route) => route.fulfill({ status: 503, json: degraded }))
  await open(page, '/status')
  await headline(page, 'The service cannot do all of its work').waitFor()
  await expect.poll(() => row(page, 'These parts fail').innerText()).toMatch(/tables, log_key[^]+Degraded/)
})

it('says that there are no figures', async () => {
  const page = await pageOf(null)
  await page.route(HEALTH, (route) => route.fulfill({ json: { status: 'ok', dataset: null } }))
  await open(page, '/status')
  await headline(page, 'Published figures are not known').waitFor()
  await expect.poll(() => region(page, 'Age of the published figures').innerText()).toContain('No figures')
})

it('has no green for a head that no published key has signed, or that it cannot check', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(HEAD, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace(/(?<="tree_size":)\d+/, '1') })
  })
  await open(page, '/status')
  await headline(page, 'The head of the public log is not valid').waitFor()
  await expect
    .poll(() => region(page, 'Head of the public log').innerText())
    .toMatch(/Not valid The signature is not one of a trusted key/)
  await expect.poll(() => page.locator('.good').count()).toBe(0)
  await page.unroute(HEAD)
  await page.route(KEYS, (route) => route.fulfill(failing))
  await page.getByRole('button', { name: 'Ask again' }).click()
  await headline(page, 'Signing keys do not answer').waitFor()
  await expect.poll(() => region(page, 'Head of the public log').innerText()).toContain('Not checked')
  await expect.poll(() => page.locator('.good').count()).toBe(0)
})

const DAY_MS = 86_400_000
const keys = throwAwayKeys(new Uint8Array(32).fill(1))

/** Serves heads of so many days ago, newest first, and the key that signed them. */
async function serveHeads(page: Page, daysAgo: readonly number[], change = (head: PublicHead) => head): Promise<void> {
  const key = await createSigner(keys).keyAt(Date.now())
  if (key === null) throw new Error('no key signs')
  const signed = daysAgo.map((days) =>
    signPublicHead({ treeSize: 200 - days, root: new Uint8Array(32), at: Date.now() - days * DAY_MS }, key),
  )
  const [newest, ...others] = await Promise.all(signed)
  await page.route(HEAD, (route) => route.fulfill({ json: newest }))
  await page.route(HEADS, (route) =>
    route.fulfill({ json: { object: 'list', data: [newest, ...others.map((head) => change(head))] } }),
  )
  await page.route(KEYS, (route) => route.fulfill({ json: { keys: keys.history.map(toPublishedKey) } }))
}

const days = (page: Page) => region(page, 'Public log, last 90 days')
const marks = (page: Page, kind: string) => days(page).locator(`rect.${kind}`)
const stripText = (page: Page) => days(page).getByRole('img').getAttribute('aria-label')
const checkAll = (page: Page) =>
  days(page)
    .getByRole('button', { name: /^Check all \d+ signatures$/ })
    .click()

it('marks each of the last 90 days, checks the newest head at once and the others when it is told to', async () => {
  const page = await pageOf(null)
  await serveHeads(page, [0, 1, 2, 3, 4, 5, 89, 90])
  await open(page, '/status')
  await expect.poll(() => marks(page, 'none').count()).toBe(83)
  await expect.poll(() => marks(page, 'checked').count()).toBe(1)
  await expect.poll(() => marks(page, 'unchecked').count()).toBe(6)
  await expect
    .poll(() => stripText(page))
    .toMatch(/^A head was stored on 7 of the last 90 days, the first on \d+ \w+ \d{4}$/)
  await expect
    .poll(() => days(page).innerText())
    .toContain('7 days with a head. 1 of 1 signature is valid, checked in this browser. 6 are not checked.')
  await checkAll(page)
  await expect.poll(() => marks(page, 'checked').count()).toBe(7)
  await expect.poll(() => days(page).innerText()).toContain('7 of 7 signatures are valid, checked in this browser.')
  await expect.poll(() => days(page).getByRole('button').innerText()).toBe('All 7 signatures checked')
  await expect.poll(() => days(page).innerText()).toContain('shows that none was stored, not why')
  await expect.poll(() => days(page).locator('.good').count()).toBe(0)
})

it('shows the last 30 days on a phone', async () => {
  const page = await pageOf(null)
  await page.setViewportSize({ width: 390, height: 844 })
  await serveHeads(page, [0, 1, 2, 3, 4, 5, 6])
  await open(page, '/status')
  await marks(page, 'checked').waitFor()
  const isShown =
    "each => each.getBoundingClientRect().left >= document.querySelector('.ends').getBoundingClientRect().left"
  const shown = `[...document.querySelectorAll('.days rect')].filter(${isShown}).length`
  await expect.poll(() => page.evaluate(shown)).toBe(30)
  await expect.poll(() => days(page).locator('time:visible').count()).toBe(2)
})

it('has a sentence in the place of the marks while the log has few heads', async () => {
  const page = await open(null, '/status')
  await expect
    .poll(() => days(page).innerText())
    .toMatch(/A head was stored on 1 of the last 90 days[^]+1 of 1 signature is valid, checked in this browser\./)
  await expect.poll(() => days(page).getByRole('img').count()).toBe(0)
  await expect.poll(() => days(page).getByRole('button').count()).toBe(0)
})

it('says which head of a day is not valid, and how many', async () => {
  const page = await pageOf(null)
  await serveHeads(page, [0, 1, 2, 3, 4, 5, 6], (head) => ({ ...head, tree_size: head.tree_size + 1 }))
  await open(page, '/status')
  await checkAll(page)
  await expect
    .poll(() => days(page).innerText())
    .toMatch(/1 of 7 signatures are valid[^]+6 heads are not valid, the first of \d+ \w+ \d{4}. The signature is not/)
  await expect.poll(() => marks(page, 'broken').count()).toBe(6)
  await expect.poll(() => marks(page, 'checked').count()).toBe(1)
})

it('marks no head as checked without the signing keys', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await serveHeads(page, [0, 1, 2, 3, 4, 5, 6])
  await page.route(KEYS, (route) => route.fulfill(failing))
  await open(page, '/status')
  await expect.poll(() => days(page).innerText()).toContain('not checked: the signing keys did not answer')
  await expect.poll(() => marks(page, 'unchecked').count()).toBe(7)
  await expect.poll(() => days(page).getByRole('button').count()).toBe(0)
})

it('says that no head was stored in 90 days', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(HEADS, (route) => route.fulfill({ json: { object: 'list', data: [] } }))
  await page.route(HEAD, (route) => route.fulfill(failing))
  await open(page, '/status')
  await expect.poll(() => days(page).innerText()).toContain('No head was stored in the last 90 days.')
})

it('does not know the days where the log does not list them, and still says that everything answers', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(HEADS, (route) => route.fulfill(failing))
  await open(page, '/status')
  await headline(page, 'All 6 components answer').waitFor()
  await expect.poll(() => days(page).innerText()).toContain('Not known: the log did not answer.')
  await expect.poll(() => days(page).getByRole('img').count()).toBe(0)
})
