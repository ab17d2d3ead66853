// /app/compliance as people use it: the score with its list, statements by people, and reports to read, to check and to save.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { saved } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const { owner } = service.filled

describe('compliance', () => {
  it('shows the score only together with all of its controls, the day of its law, and what it cannot show', async () => {
    const page = await open(owner, '/app/compliance')
    await expect.poll(() => page.locator('.control').count()).toBe(33)
    await expect.poll(() => page.locator('.figure').innerText()).toMatch(/^\d+%\s+of the weights[^]*33 controls/)
    await expect.poll(() => page.locator('main').innerText()).toMatch(/law as of \d+ \w+ 2026/)
    await expect.poll(() => page.getByRole('heading', { name: 'What this cannot show' }).count()).toBe(1)
    // A failing control says at once what would make it pass.
    const failing = page.locator('.control', { has: page.getByText('fails', { exact: true }) })
    await failing.first().getByText('What would make it pass').waitFor()
  })

  it('shows no number where the list of its controls could not be had', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/compliance/score*', (route) => route.abort())
    await page.goto('/app/compliance')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('could not be reached')
    await expect.poll(() => page.locator('.figure').count()).toBe(0)
    await page.unroute('**/api/compliance/score*')
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await expect.poll(() => page.locator('.figure').count()).toBe(1)
  })

  it('says of a list that is none that it did not come whole, instead of waiting for it', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/compliance/reports?*', (route) => route.fulfill({ json: {} }))
    await page.goto('/app/compliance')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('did not come whole')
  })

  it('takes a statement of a person about a control, shows it as text, and takes it back', async () => {
    const page = await open(ownerOn('healthcare'), '/app/compliance')
    const control = page.locator('.control', { has: page.getByText('X2', { exact: true }) })
    await control.locator('summary').click()
    await control.getByRole('button', { name: 'State something' }).click()
    await page.getByLabel('What you state').fill(HOSTILE)
    await page.getByLabel('The day that it is about').fill('2026-11-02')
    await page.getByRole('button', { name: 'State it' }).click()
    await expect.poll(() => control.locator('blockquote').innerText()).toContain(HOSTILE)
    await expect.poll(() => control.locator('blockquote').innerText()).toMatch(/Stated by you, .*about 2 Nov 2026/)
    await expect.poll(() => page.locator('img').count()).toBe(0)
    await control.getByRole('button', { name: 'Take it back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
    await expect.poll(() => control.locator('blockquote').count()).toBe(0)
  })

  it('says why a statement is refused, and keeps what was written', async () => {
    const page = await open(ownerOn('healthcare'), '/app/compliance')
    await page.getByLabel('Trace of a call').fill('tr_1')
    await page.getByRole('button', { name: 'State something about it' }).click()
    await page.getByText('A trace id is tr_ and 32 digits').waitFor()
    await page.getByLabel('Trace of a call').fill(`tr_${'a'.repeat(32)}`)
    await page.getByRole('button', { name: 'State something about it' }).click()
    await page.route('**/api/compliance/statements/*', (route) => route.abort())
    await page.getByLabel('What you state').fill('It was looked into.')
    await page.getByRole('button', { name: 'State it' }).click()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Nothing you typed is lost')
    await expect.poll(() => page.getByLabel('What you state').inputValue()).toBe('It was looked into.')
  })

  it('makes a report, opens it with its hash checked here, and saves it as PDF and as the bytes of that hash', async () => {
    const page = await open(ownerOn('healthcare'), '/app/compliance')
    await page.getByRole('button', { name: 'Make a report' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('report')).toMatch(/^rep_/)
    await expect.poll(() => page.getByText('same hash').count()).toBe(1)
    const named = await page.locator('dt:text-is("SHA-256, found here") + dd .hash').innerText()
    const { bytes } = await saved(page, 'Save as JSON')
    expect(named).toContain(createHash('sha256').update(bytes).digest('hex'))
    expect((await saved(page, 'Save as PDF')).text.slice(0, 5)).toBe('%PDF-')
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.locator('.only-print').innerText()).toContain('/app/compliance?report=rep_')
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('link', { name: 'The checklist and all reports' }).click()
    await expect
      .poll(() => page.getByRole('region', { name: 'Reports that are kept' }).locator('tbody tr').count())
      .toBe(1)
  })

  it('says which tiers have reports, calmly, and shows the checklist all the same', async () => {
    const page = await open(ownerOn('free'), '/app/compliance')
    await expect.poll(() => page.locator('.control').count()).toBe(33)
    await expect.poll(() => page.locator('.notice').innerText()).toContain('pro, healthcare, enterprise')
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })
})
