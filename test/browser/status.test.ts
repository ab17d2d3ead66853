// The page of the state of things: what it asks, what it says of the answers, and of no answer.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { FAILING } from '../support/browser/visitor.ts'

const section = (page: Page, name: string) => page.getByRole('region', { name })

const failing = {
  status: 500,
  json: { error: { code: 'internal_error', message: 'Something failed here.', request_id: 'req_1' } },
}

it('says that the service is up, how old the figures are and how old the head of the log is', async () => {
  const page = await open(null, '/status')
  await expect.poll(() => section(page, 'Service').innerText()).toContain('Up')
  await expect
    .poll(() => section(page, 'Published figures').innerText())
    .toMatch(/Archive date\s+24 Sept 2026 \(\d+ days? old\)/)
  await expect
    .poll(() => section(page, 'Public log').innerText())
    .toMatch(/Head signed\s+\d+ \w+ \d{4}, [\d:]+ UTC \(.+\)\s+Leaves[^]+[0-9a-f]{64}/)
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
  const asked = page.waitForRequest('**/healthz')
  await page.getByRole('button', { name: 'Ask again' }).click()
  await asked
  await expect.poll(() => page.locator('time').first().getAttribute('datetime')).not.toBe(first)
})

it('says of each by itself that it does not answer', async () => {
  const page = await pageOf(null, { provoked: FAILING })
  await page.route('**/healthz', (route) => route.abort())
  await open(page, '/status')
  await expect.poll(() => section(page, 'Service').innerText()).toMatch(/Not answering[^]+could not be reached/)
  await expect.poll(() => section(page, 'Public log').innerText()).toContain('Head signed')
  await page.unroute('**/healthz')
  await page.route('**/v1/public/transparency/sth', (route) => route.fulfill(failing))
  await page.getByRole('button', { name: 'Ask again' }).click()
  await section(page, 'Public log').getByText('Something failed here.').waitFor()
  await expect.poll(() => section(page, 'Service').innerText()).toContain('Up')
})
