// Tests the status page: what it says about answers, about no answer, and about a head that nobody signed.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { FAILING } from '../support/browser/visitor.ts'

const HEALTH = '**/healthz'
const HEAD = '**/v1/public/transparency/sth'
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
  await headline(page, 'All 5 components answer').waitFor()
  await expect.poll(() => page.locator('.lead').innerText()).toMatch(/^5 of 5 components answered this browser on \d/)
  await expect
    .poll(() =>
      region(page, 'Components')
        .getByRole('listitem')
        .filter({ hasText: /\d m?sAnswers$/ })
        .count(),
    )
    .toBe(5)
  await expect
    .poll(() => region(page, 'Published figures').innerText())
    .toMatch(/\d+ days? since the day they count\s+Archive date\s+24 Sept 2026/)
  await expect
    .poll(() => region(page, 'Head of the public log').innerText())
    .toMatch(/Signature\s+Valid Checked in this browser[^]+\d+ entr(?:y|ies)[^]+[0-9a-f]{20}…[0-9a-f]{8}/)
  await expect
    .poll(() => region(page, 'Head of the public log').locator('[title]').getAttribute('title'))
    .toMatch(/^[0-9a-f]{64}$/)
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
  await headline(page, 'All 5 components answer').waitFor()
})

it('says of each by itself that it does not answer', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(HEALTH, (route) => route.abort())
  await open(page, '/status')
  await headline(page, 'No answer: Service').waitFor()
  await expect.poll(() => row(page, 'It takes requests').innerText()).toMatch(/could not be reached[^]+No answer/)
  await expect.poll(() => region(page, 'Published figures').innerText()).toContain('Not known')
  await expect.poll(() => row(page, 'Public log').innerText()).toContain('Answers')
  await page.unroute(HEALTH)
  await page.route(HEAD, (route) => route.fulfill(failing))
  await page.getByRole('button', { name: 'Ask again' }).click()
  await headline(page, 'No answer: Public log').waitFor()
  await expect.poll(() => row(page, 'Public log').innerText()).toContain('Something failed here.')
  await expect.poll(() => page.locator('.good').count()).toBe(0)
})

it('does not know where nothing answers', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(/\/(?:healthz|v1\/|api\/)/, (route) => route.abort())
  await open(page, '/status')
  await headline(page, 'Nothing answers').waitFor()
  await expect.poll(() => page.locator('.lead').innerText()).toMatch(/^0 of 5 [^]+ may be down/)
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
  await headline(page, 'Nothing answers').waitFor()
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
  await headline(page, 'All 5 components answer').waitFor()
  await expect.poll(() => region(page, 'Published figures').innerText()).toContain('No figures')
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
  await headline(page, 'No answer: Signing keys').waitFor()
  await expect.poll(() => region(page, 'Head of the public log').innerText()).toContain('Not checked')
  await expect.poll(() => page.locator('.good').count()).toBe(0)
})
