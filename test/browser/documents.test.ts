// The documents as pages of the service.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { MARKDOWN_FILES } from '../../scripts/pages/document-pages.ts'
import { DOCUMENT_GROUPS, PUBLISHED_DOCUMENTS } from '../../scripts/pages/published-documents.ts'
import { origin, pageOf, service } from '../support/browser/browser.ts'
import { barriersOf, keepShown } from '../support/browser/visitor.ts'

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

describe('the documents as Markdown', () => {
  it.each([...MARKDOWN_FILES])('%s is served, and its page leads to it', async (file, markdown) => {
    const response = await fetch(`${origin}/${file}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(await response.text()).toBe(markdown())
    const page = await (await fetch(`${origin}/${file.replace(/\.md$/, '')}`)).text()
    expect(page).toContain(`<link rel="alternate" type="text/markdown" href="/${file}"`)
    expect(page).toContain(`<a href="/${file}">`)
  })

  it('are listed in llms.txt, with a title, a summary and no dead link', async () => {
    const text = await (await fetch(`${origin}/llms.txt`)).text()
    expect(text).toMatch(/^# .+\n\n> .+\n\n[^#]+\n\n## /)
    const links = Array.from(text.matchAll(/^- \[[^\]]+\]\(\/([^)]+)\): .+\.$/gm), ([, link = '']) => link)
    expect(links).toHaveLength(text.match(/^- /gm)?.length ?? 0)
    expect(links).toEqual(expect.arrayContaining([...MARKDOWN_FILES.keys(), 'v1/referral/openapi.json']))
    for (const link of links) expect([link, (await fetch(`${origin}/${link}`)).status]).toEqual([link, 200])
  })
})

describe('the list of documents', () => {
  it('leads to each of them', async () => {
    const page = await pageOf(null)
    await page.goto('/docs')
    for (const { title, documents } of DOCUMENT_GROUPS) {
      await page.locator('main').getByRole('heading', { name: title, exact: true }).waitFor()
      for (const { name } of documents) await page.locator(`main a[href="/docs/${name}"]`).first().waitFor()
    }
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
    await page.goto('/docs/start-gp-software')
    await page.getByText('Fill in your keys').click()
    await expect.poll(() => page.getByLabel('KEY', { exact: true }).inputValue()).toBe(service.sandboxKey)
    await page.goto('/docs/call-models')
    const lines = page.locator('.code code').filter({ hasText: '/v1/chat/completions' }).first()
    await expect
      .poll(() => lines.innerText())
      .toContain(`"${origin}/v1/chat/completions" -H "authorization: Bearer $GATEWAY_KEY"`)
    await page.getByText('Fill in your keys').click()
    const field = page.getByLabel('GATEWAY_KEY', { exact: true })
    await field.fill('aqta_a"; rm -rf ~')
    await expect.poll(() => lines.innerText()).toContain('Bearer $GATEWAY_KEY')
    await field.fill('aqta_invented')
    await expect
      .poll(() => lines.innerText())
      .toContain(`"${origin}/v1/chat/completions" -H "authorization: Bearer aqta_invented"`)
    // The values keep the colours of the code.
    await expect
      .poll(() => lines.locator('.of-string', { hasText: '/v1/' }).first().innerText())
      .toContain(`${origin}/v1/`)
    const kept = (): Promise<unknown> =>
      page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])')
    await expect.poll(kept).not.toContain('aqta_')
  })

  it('is marked in the side bar, and leads to the one before and after it', async () => {
    const page = await pageOf(null)
    await page.goto('/docs/call-models')
    const open = page.getByRole('navigation', { name: 'Documents' }).locator('[aria-current=page]:visible')
    await expect.poll(() => open.allInnerTexts()).toEqual(['Call models'])
    await page.getByRole('link', { name: 'Next Send a call again' }).click()
    await page.getByRole('heading', { name: 'Send a call again safely', level: 1 }).waitFor()
    await expect.poll(() => open.allInnerTexts()).toEqual(['Send a call again'])
    await page.getByRole('link', { name: 'Previous Call models' }).click()
    await page.getByRole('heading', { name: 'Call models', level: 1 }).waitFor()
    await page.goto('/docs/changes')
    await expect.poll(async () => (await open.boundingBox())?.y ?? 800).toBeLessThan(780)
    await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  })

  it('has contents that follow the scroll', async () => {
    const page = await pageOf(null, { width: 1440 })
    await page.goto('/docs/export-evidence')
    const contents = page.getByRole('navigation', { name: 'On this page' })
    const marked = contents.locator('[aria-current]')
    await expect.poll(() => marked.allInnerTexts()).toEqual(['Overview'])
    const last = contents.getByRole('link').last()
    const name = await last.innerText()
    await last.click()
    await expect.poll(() => marked.allInnerTexts()).toEqual([name])
    await page.evaluate('scrollTo(0, 0)')
    await expect.poll(() => marked.allInnerTexts()).toEqual(['Overview'])
  })

  it('has all documents and its contents behind folds in a narrow window', async () => {
    const page = await pageOf(null, { width: 390 })
    await page.goto('/docs/export-evidence')
    await page.getByText('On this page').locator('visible=true').click()
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').first().waitFor()
    await page.getByText('All documents', { exact: true }).locator('visible=true').first().click()
    await page.getByText('Reference', { exact: true }).locator('visible=true').last().click()
    await page.getByRole('link', { name: 'Retention', exact: true }).locator('visible=true').first().click()
    await page.getByRole('heading', { name: /^Retention/, level: 1 }).waitFor()
  })
})

describe('the search', () => {
  const field = (page: Page) => page.getByRole('combobox', { name: 'Search documents and API' })
  const options = (page: Page) => page.getByRole('option')

  it('opens by a key, finds sections and operations, and opens the chosen one', async () => {
    const page = await pageOf(null)
    await page.goto('/docs/concepts')
    await page.getByRole('button', { name: 'Search docs and API' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('policy_blocked')
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ results?$/ })
      .waitFor()
    const first = options(page).first()
    await expect.poll(() => first.getAttribute('href')).toBe('/docs/errors#policy_blocked')
    await expect.poll(() => first.getAttribute('aria-selected')).toBe('true')
    expect(await barriersOf({ context: page.context(), page })).toEqual([])
    await field(page).fill('list keys')
    const operation = page.getByRole('group', { name: 'API' }).locator('[href="/reference/listKeys"]')
    await operation.waitFor()
    for (let steps = 0; steps < 20 && (await operation.getAttribute('aria-selected')) !== 'true'; steps += 1) {
      await page.keyboard.press('ArrowDown')
    }
    await expect.poll(() => field(page).getAttribute('aria-activedescendant')).toBe(await operation.getAttribute('id'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/reference/listKeys')
  })

  it.each([
    ['policy', '/docs/rules'],
    ['errors', '/docs/errors'],
    ['medical rec', '/docs/medical-receipts'],
  ])('lists first for %s the document of that name, and marks the words', async (words, href) => {
    const page = await pageOf(null)
    await page.goto('/reference')
    await page.getByRole('button', { name: 'Search docs and API' }).click()
    await field(page).fill(words)
    await expect.poll(() => options(page).first().getAttribute('href')).toBe(href)
    await expect.poll(() => options(page).first().locator('b mark').count()).toBeGreaterThan(0)
    await expect
      .poll(() => page.getByRole('group', { name: 'Documents' }).getByRole('option').count())
      .toBeLessThanOrEqual(5)
  })

  it('closes by Escape, and returns the focus', async () => {
    const page = await pageOf(null)
    await page.goto('/docs')
    const button = page.getByRole('button', { name: 'Search docs and API' })
    await button.click()
    await field(page).waitFor()
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    await page.locator('#search:focus').waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await field(page).waitFor()
  })

  it('leaves "/" to a field that somebody types in', async () => {
    const page = await pageOf(null)
    await page.goto('/docs/call-models')
    await page.getByText('Fill in your keys').click()
    await page.getByLabel('GATEWAY_KEY', { exact: true }).press('/')
    await expect.poll(() => page.getByLabel('GATEWAY_KEY', { exact: true }).inputValue()).toBe('/')
  })

  it.each([
    ['a path', '/v1/referral/read', 'readReferral'],
    ['a parameter', 'x-aqta-deadline-ms', 'createChatCompletion'],
    ['an error code', 'identifier_found', 'readReferral'],
    ['a schema', 'WaitingListsResponse', 'listWaitingLists'],
  ])('finds an operation by %s', async (_, words, operationId) => {
    const page = await pageOf(null)
    await page.goto('/reference')
    await page.getByRole('button', { name: 'Search docs and API' }).click()
    await field(page).fill(words)
    await page.getByRole('group', { name: 'API' }).locator(`[href="/reference/${operationId}"]`).waitFor()
  })

  it('says so if nothing is found, shows what is nearest, and else leads to where one starts', async () => {
    const page = await pageOf(null)
    await page.goto('/docs')
    await page.keyboard.press('/')
    await page.keyboard.type('xyzzy')
    await page.getByRole('status').filter({ hasText: 'Nothing for “xyzzy”.' }).waitFor()
    await page.getByRole('group', { name: 'Start here' }).getByRole('option', { name: 'API reference' }).waitFor()
    const top = async (): Promise<number | undefined> => (await page.getByRole('dialog').boundingBox())?.y
    const before = await top()
    await field(page).fill('attestaton')
    await page.getByRole('status').filter({ hasText: 'Nothing for “attestaton”. Showing “attestation”.' }).waitFor()
    await page.getByRole('group', { name: 'Documents' }).getByRole('option').first().waitFor()
    await expect.poll(top).toBe(before)
    await field(page).fill('xyzzy')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/reference')
  })

  it('says what to do if its file cannot be loaded, and loads it again', async () => {
    const page = await pageOf(null, { provoked: /search-\w+\.json|Failed to load resource/ })
    await page.route('**/assets/search-*.json', (route) => route.abort())
    await page.goto('/docs')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('alert').getByText('Check your connection, then try again.').waitFor()
    await page.unroute('**/assets/search-*.json')
    await page.getByRole('button', { name: 'Try again' }).click()
    await field(page).fill('approval')
    await options(page).first().waitFor()
  })
})
