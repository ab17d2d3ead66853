// Tests the status page: what it asks, what it says of the answers, of no answer, and of a head that nobody signed.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { FAILING } from '../support/browser/visitor.ts'

const HEALTH = '**/healthz'
const HEAD = '**/v1/public/transparency/sth'
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
  await headline(page, 'Everything answers').waitFor()
  await expect.poll(() => page.locator('.lead').innerText()).toMatch(/^6 of 6 components answered this browser on \d/)
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
    .toMatch(/\d+ lea(?:f|ves)\s+Signature\s+Valid Checked in this browser[^]+[0-9a-f]{64}/)
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
  await headline(page, 'Everything answers').waitFor()
})

it('says of each by itself that it does not answer', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route(HEALTH, (route) => route.abort())
  await open(page, '/status')
  await headline(page, 'Service and Published figures do not answer').waitFor()
  await expect.poll(() => row(page, 'The Worker runs').innerText()).toMatch(/No answer[^]+could not be reached/)
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
