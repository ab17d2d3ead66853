// The documents as pages of the service.
import { describe, expect, it } from 'vitest'
import { DOCUMENT_GROUPS, PUBLISHED_DOCUMENTS } from '../../scripts/pages/published-documents.ts'
import { origin, pageOf, service } from '../support/browser/browser.ts'
import { keepShown } from '../support/browser/visitor.ts'

const ADDRESSES = ['/docs', ...PUBLISHED_DOCUMENTS.map((name) => `/docs/${name}`)]

describe('every document', () => {
  it('is served with one heading of its own, and leads to nothing that is not', async () => {
    const links = new Set<string>()
    for (const address of ADDRESSES) {
      const response = await fetch(origin + address, { redirect: 'manual' })
      const html = await response.text()
      const found = { address, status: response.status, headings: html.match(/<h1>/g)?.length }
      expect(found).toEqual({ address, status: 200, headings: 1 })
      for (const [, link = ''] of html.matchAll(/<a [^>]*href="(\/[^"#]*)/g)) links.add(link)
    }
    for (const link of links) {
      const { status } = await fetch(origin + link, { redirect: 'manual' })
      expect({ link, status }).toEqual({ link, status: 200 })
    }
  })
})

describe('the list of documents', () => {
  it('leads to each of them', async () => {
    const page = await pageOf(null)
    await page.goto('/docs')
    for (const { title, documents } of DOCUMENT_GROUPS) {
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
      for (const name of Object.keys(documents)) await page.locator(`main a[href="/docs/${name}"]`).waitFor()
    }
    await page.locator('main a[href="/docs/errors"]').click()
    await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor()
  })
})

describe('a document', () => {
  it('has its lines copied by a button, and nothing else with them', async () => {
    const page = await pageOf(null)
    const context = page.context()
    await context.grantPermissions(['clipboard-write'], { origin })
    await keepShown(context)
    await page.goto('/docs/start-operator')
    await page.getByRole('button', { name: 'Copy these lines' }).first().click()
    await page.getByRole('button', { name: 'Copied these lines' }).waitFor()
    await page.goto('/verify')
    const field = page.getByLabel('What to check', { exact: true })
    await field.press('ControlOrMeta+V')
    await expect.poll(() => field.inputValue()).toBe('npm start')
  })

  it('has the reader’s keys put into its lines, in this page only', async () => {
    const page = await pageOf(null)
    await page.goto('/docs/tour')
    const lines = page.locator('.command code').filter({ hasText: '/v1/chat/completions' }).first()
    await expect
      .poll(() => lines.innerText())
      .toContain('"$URL/v1/chat/completions" -H "authorization: Bearer $GATEWAY_KEY"')
    await page.getByText('Put your keys and the address into the lines of this page').click()
    await expect.poll(() => page.getByLabel('KEY', { exact: true }).inputValue()).toBe(service.sandboxKey)
    const field = page.getByLabel('GATEWAY_KEY', { exact: true })
    await field.fill('aqta_a"; rm -rf ~')
    await expect.poll(() => lines.innerText()).toContain('Bearer $GATEWAY_KEY')
    await field.fill('aqta_invented')
    await expect
      .poll(() => lines.innerText())
      .toContain(`"${origin}/v1/chat/completions" -H "authorization: Bearer aqta_invented"`)
    const kept = (): Promise<unknown> =>
      page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])')
    await expect.poll(kept).not.toContain('aqta_')
  })
})
