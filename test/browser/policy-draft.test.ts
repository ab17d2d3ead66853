// The page of the policy: a draft that is kept when the page is left, and the calls that a rule stopped.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask, ownOrganisation } from '../support/browser/people.ts'

const dock = (page: Page) => page.getByRole('region', { name: 'Changes of the policy' })
const written = (page: Page) => page.getByLabel('The policy as JSON')

describe('a draft', () => {
  const questionsOf = (page: Page): string[] => {
    const asked: string[] = []
    page.on('dialog', (question) => {
      asked.push(question.type())
      void question.accept()
    })
    return asked
  }

  it('is back after the page was left, says so if another version came meanwhile, and is gone when discarded', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/policies?view=json')
    const asked = questionsOf(page)
    const mine = JSON.stringify({ cache: { ttl_seconds: 60 } })
    await written(page).fill(mine)
    await open(page, '/app/keys')
    await open(page, '/app/policies?view=json')
    await page.getByText(/Your draft of \d\d:\d\d UTC is back\./).waitFor()
    await expect.poll(() => written(page).inputValue()).toBe(mine)
    await expect.poll(() => page.getByText('came into force meanwhile').count()).toBe(0)
    const put = { cache: { ttl_seconds: 120 } }
    const { version } = await ask<{ version: number }>('PUT', '/api/policies', put, await sessionOf(owner))
    await page.reload()
    await page.getByText(`Version ${version} came into force meanwhile.`).waitFor()
    await page.getByText('An answer is given again for: 1 minute, 2 minutes before').waitFor()
    await page.locator('.notice').getByRole('button', { name: 'Discard' }).click()
    await dock(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => written(page).inputValue()).toBe(mine)
    await dock(page).getByRole('button', { name: 'Discard' }).click()
    await dock(page).waitFor({ state: 'detached' })
    await page.reload()
    await expect.poll(() => written(page).inputValue()).toContain('120')
    await expect.poll(() => page.getByText('Your draft').or(dock(page)).count()).toBe(0)
    expect(asked).toEqual([])
  })

  it('that the browser does not keep is asked about before it is lost', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/policies?view=json')
    const asked = questionsOf(page)
    await page.evaluate('Storage.prototype.setItem = () => { throw new DOMException("full") }')
    await written(page).fill('{"cache":{"ttl_seconds":60}}')
    await dock(page).getByText('1 change').waitFor()
    await page.reload()
    await expect.poll(() => asked).toEqual(['beforeunload'])
  })

  it('comes back after an older version was written over it', async () => {
    const { owner } = await ownOrganisation()
    await ask('PUT', '/api/policies', { cache: { ttl_seconds: 60 } }, await sessionOf(owner))
    await ask('PUT', '/api/policies', {}, await sessionOf(owner))
    const page = await open(owner, '/app/policies?view=json')
    const mine = JSON.stringify({ cache: { ttl_seconds: 77 } })
    await written(page).fill(mine)
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page.getByRole('link', { name: 'Version 1', exact: true }).click()
    await page.getByRole('button', { name: 'Change it first' }).click()
    await page.getByText('is written below, and not in force yet').waitFor()
    await page.getByRole('button', { name: 'Back to what you had written' }).click()
    await page.getByRole('link', { name: 'As JSON', exact: true }).click()
    await expect.poll(() => written(page).inputValue()).toBe(mine)
  })
})

describe('a rule that stopped calls', () => {
  it('says how many of 30 days, and leads to them for who may filter calls', async () => {
    const page = await pageOf(service.filled.owner)
    const stops = await ask<{ data: { rule: string | null; requests: number }[] }>(
      'GET',
      '/api/analytics/stops',
      undefined,
      await sessionOf(service.filled.owner),
    )
    const own = stops.data.filter((stop) => stop.rule === 'model_allowlist')
    const count = own.reduce((sum, { requests }) => sum + requests, 0)
    await open(page, '/app/policies')
    const line = page.locator('#model_allowlist')
    const link = line.getByRole('link', { name: new RegExp(`^blocked ${count} requests? in 30 days$`) })
    await expect.poll(() => link.getAttribute('href')).toContain('/app/calls?rule=model_allowlist')
  })
})
