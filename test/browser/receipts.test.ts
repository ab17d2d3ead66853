// /app/receipts as people use it: what a tier has not, the list, one receipt with what was found of it, the file, and paper.
import { describe, expect, it } from 'vitest'
import { saved, showRole } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

const { owner } = service.filled

describe('medical receipts', () => {
  it('are for a clinician', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'clinician')
    await page.goto('/app/receipts')
    await page.locator('tbody tr').first().waitFor()
  })

  it('say what will be here where there is none yet', async () => {
    const page = await pageOf(ownerOn('healthcare'))
    await page.goto('/app/receipts')
    await expect.poll(() => page.locator('.empty h2').innerText()).toBe('No receipt in these days')
  })

  it('open with record, proofs and both verdicts, and are saved byte for byte as they were answered', async () => {
    const page = await open(owner, '/app/receipts?outcome=passed')
    await page.locator('tbody a').first().click()
    const here = page.getByRole('region', { name: 'Checked here, in this browser' })
    await expect.poll(() => here.getByRole('status').innerText()).toBe('valid')
    await expect.poll(() => page.getByText('checked_by: issuer').count()).toBe(1)
    const { name, text } = await saved(page, 'Save as JSON')
    const id = new URL(page.url()).searchParams.get('id')
    expect(name).toBe(`receipt-${id}.json`)
    expect(JSON.parse(text)).toMatchObject({ object: 'medical_receipt', id })
    await page.getByRole('link', { name: 'All receipts' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=passed')
  })

  it('are not valid where a genuine one of another call comes in their place', async () => {
    const page = await pageOf(owner)
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
    const page = await pageOf(owner, { provoked: /^error: Cannot read properties/ })
    await page.route(/\/api\/health\/receipts\/[0-9a-f-]{36}$/, (route) => route.fulfill({ json: { valid: true } }))
    await page.goto('/app/receipts')
    await page.locator('tbody a').first().click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByText('valid', { exact: true }).count()).toBe(0)
  })

  it('say of an id that no receipt has that there is none', async () => {
    const page = await pageOf(owner)
    await page.goto('/app/receipts?id=<img src=x onerror=alert(1)>')
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('no medical receipt with this attestation_id')
  })

  it('are exported as a file that is said to be whole', async () => {
    const page = await pageOf(owner)
    await page.goto('/app/receipts')
    await page.getByText('Export the receipts').click()
    expect((await saved(page, 'Save as CSV')).name).toMatch(/^invented-data-countersign-medical-receipts-.*\.csv$/)
    await expect.poll(() => page.getByText('Saved:').innerText()).toContain('It is whole.')
  })

  it('print with their source, the hash of their leaf and exact times, and without buttons', async () => {
    const page = await open(owner, '/app/receipts')
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
