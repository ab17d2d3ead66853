// /app/receipts as people use it: what a tier has not, the list, one receipt with what was found of it, the file, and paper.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { member, ownerOn, service } from '../support/browser/browser.ts'
import { settled } from '../support/browser/pages.ts'
import { showRole } from '../support/browser/role.ts'

const { owner } = service.filled

describe('medical receipts', () => {
  it('are said to come with other tiers, calmly', async () => {
    await using somebody = await member(ownerOn('starter'))
    await somebody.page.goto('/app/receipts')
    await expect.poll(() => somebody.page.locator('.notice').innerText()).toContain('healthcare, enterprise')
    await settled(somebody.page)
    await expect.poll(() => somebody.page.getByRole('alert').count()).toBe(0)
  })

  it('are not for a developer, and are for a clinician', async () => {
    await using somebody = await member(owner)
    const { page } = somebody
    await showRole(page, 'developer')
    await page.goto('/app/receipts')
    await expect
      .poll(() => page.locator('.notice').innerText())
      .toContain('Your role does not include medical receipts')
    await showRole(page, 'clinician')
    await page.reload()
    await page.locator('tbody tr').first().waitFor()
  })

  it('say what will be here where there is none yet', async () => {
    await using somebody = await member(ownerOn('healthcare'))
    await somebody.page.goto('/app/receipts')
    await expect.poll(() => somebody.page.locator('.empty h2').innerText()).toBe('No receipt in these days')
  })

  it('open with record, proofs and both verdicts, and are saved byte for byte as they were answered', async () => {
    await using somebody = await member(owner)
    const { page } = somebody
    await page.goto('/app/receipts?outcome=passed')
    await settled(page)
    await page.locator('tbody a').first().click()
    const here = page.getByRole('region', { name: 'Checked here, in this browser' })
    await expect.poll(() => here.getByRole('status').innerText()).toBe('valid')
    await expect.poll(() => page.getByText('checked_by: issuer').count()).toBe(1)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as JSON' }).click()
    const saved = await saving
    const id = new URL(page.url()).searchParams.get('id')
    expect(saved.suggestedFilename()).toBe(`receipt-${id}.json`)
    expect(JSON.parse(await readFile(await saved.path(), 'utf8'))).toMatchObject({ object: 'medical_receipt', id })
    await page.getByRole('link', { name: 'All receipts' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=passed')
  })

  it('are not valid where a genuine one of another call comes in their place', async () => {
    await using somebody = await member(owner)
    const { page } = somebody
    await page.goto('/app/receipts')
    const links = page.locator('tbody a')
    await links.first().waitFor()
    const other = new URL((await links.nth(1).getAttribute('href')) ?? '', page.url()).searchParams.get('id')
    await page.route(/\/api\/health\/receipts\/[0-9a-f-]{36}$/, async (route) => {
      const url = new URL(`/api/health/receipts/${other}`, page.url()).href
      await route.fulfill({ response: await route.fetch({ url, maxRetries: 2 }) })
    })
    await links.first().click()
    const here = page.getByRole('region', { name: 'Checked here, in this browser' })
    await expect.poll(() => here.getByRole('status').innerText()).toBe('not valid')
    await expect.poll(() => here.innerText()).toContain('It is of another call than the one asked for.')
  })

  it('say so where what came is no receipt, instead of showing anything', async () => {
    await using somebody = await member(owner, { provoked: /^error: Cannot read properties/ })
    const { page } = somebody
    await page.route(/\/api\/health\/receipts\/[0-9a-f-]{36}$/, (route) => route.fulfill({ json: { valid: true } }))
    await page.goto('/app/receipts')
    await page.locator('tbody a').first().click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByText('valid', { exact: true }).count()).toBe(0)
  })

  it('say of an id that no receipt has that there is none', async () => {
    await using somebody = await member(owner)
    await somebody.page.goto('/app/receipts?id=<img src=x onerror=alert(1)>')
    await expect.poll(() => somebody.page.getByRole('alert').innerText()).toContain('no medical receipt with this id')
  })

  it('are exported as a file that is said to be whole', async () => {
    await using somebody = await member(owner)
    const { page } = somebody
    await page.goto('/app/receipts')
    await page.getByText('Export the receipts').click()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    expect((await saving).suggestedFilename()).toMatch(/^invented-data-countersign-medical-receipts-.*\.csv$/)
    await expect.poll(() => page.getByText('Saved:').innerText()).toContain('It is whole.')
  })

  it('print with their source, the hash of their leaf and exact times, and without buttons', async () => {
    await using somebody = await member(owner)
    const { page } = somebody
    await page.goto('/app/receipts')
    await settled(page)
    await page.locator('tbody a').first().click()
    await page.getByRole('heading', { name: 'Proofs' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await expect
      .poll(() => page.locator('.only-print').innerText())
      .toMatch(/from http.*\/app\/receipts\?id=[^]*[0-9a-f]{64}/)
    await expect.poll(() => page.getByRole('button').count()).toBe(0)
    const exact = await page.evaluate(`getComputedStyle(document.querySelector('main time'), '::after').content`)
    expect(exact).toMatch(/title|UTC/)
    await expect.poll(() => page.locator('.side').isVisible()).toBe(false)
  })
})
