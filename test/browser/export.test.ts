// The page of exports: its days; all data of the organisation in whole files and in files that are not; the way from a file to a check
// without the service.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { pathsOf, saved } from '../support/browser/acts.ts'
import { origin, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const run = promisify(execFile)

const ExportSchema = z.looseObject({
  complete: z.literal(true),
  sections: z.array(z.string()),
  receipts: z.array(z.looseObject({ record: z.looseObject({ signature: z.string().nullable() }) })),
})

describe('the days of a file', () => {
  it('are typed by the keyboard, and are one entry of the history however often a key is pressed', async () => {
    const page = await pageOf(service.filled.owner)
    await open(page, '/app/exports?from=2026-10-01&to=2026-11-20')
    const before = await page.evaluate('history.length')
    const from = page.getByLabel('From', { exact: true })
    await from.focus()
    // The browser’s language says whether the day or the month comes first.
    await page.keyboard.type('05112026')
    await expect.poll(() => from.inputValue()).toMatch(/^2026-(?:05-11|11-05)$/)
    const day = await from.inputValue()
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(day)
    await expect.poll(() => page.evaluate('history.length')).toBe(before)
    await page.getByRole('definition').getByText(`countersign-audit-${day}-2026-11-20.jsonl`).waitFor()
  })

  it('make no file while one is incomplete, and none in the wrong order', async () => {
    const page = await pageOf(service.filled.owner)
    const asked = pathsOf(page)
    await open(page, '/app/exports?from=2026-11-20&to=2026-10-01')
    await page.getByText('“From” is later than “To”.').waitFor()
    await page.getByRole('button', { name: 'Make the evidence file' }).click({ force: true })
    await page.getByLabel('From', { exact: true }).fill('')
    await page.getByText('Both days are needed.').waitFor()
    await page.getByRole('button', { name: 'Make the evidence file' }).click({ force: true })
    await expect.poll(() => page.getByLabel('From', { exact: true }).inputValue()).toBe('')
    expect(asked.filter((path) => path.includes('audit-logs'))).toEqual([])
  })

  it('are the last 30 up to the one that the address has, and what is no day is left out', async () => {
    const page = await open(service.filled.owner, '/app/exports?from=junk&to=2026-02-10')
    await expect.poll(() => page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-01-12')
    await open(page, '/app/exports?from=junk&to=2026-02-30')
    await expect
      .poll(() => page.getByLabel('To', { exact: true }).inputValue())
      .toBe(new Date().toISOString().slice(0, 10))
  })
})

describe('the export', () => {
  it('is whole, says so, and its receipts are checked without the service', async () => {
    const page = await open(service.filled.owner, '/app/exports?kind=organisation')
    const { name, text } = await saved(page, 'Make the export')
    await page.getByText('It ends by saying that it is whole.').waitFor()
    expect(name).toMatch(/^(invented-data-)?countersign-export-\d{4}-\d\d-\d\d\.json$/)
    const { receipts, sections } = ExportSchema.parse(JSON.parse(text))
    expect(sections).toHaveLength(13)
    const made = page.getByRole('region', { name: 'Files made', exact: true }).getByRole('row')
    // Another test may make a file in this organisation meanwhile.
    await expect.poll(() => made.filter({ hasText: 'All data, JSON' }).count()).toBeGreaterThan(0)

    const { public_key: key } = (await (await fetch(`${origin}/v1/attestation/public-key`)).json()) as {
      public_key: string
    }
    const folder = await mkdtemp(join(tmpdir(), 'export-'))
    const file = join(folder, 'record.json')
    const [receipt] = receipts
    await writeFile(file, JSON.stringify(receipt?.record))
    const checked = await run(process.execPath, ['scripts/countersign-verify.ts', file, '--key', key])
    expect(checked.stdout).toContain('valid')
    await writeFile(file, JSON.stringify({ ...receipt?.record, cost_prevented_eur: 5 }))
    await expect(run(process.execPath, ['scripts/countersign-verify.ts', file, '--key', key])).rejects.toThrow(
      'countersign-verify',
    )
    await rm(folder, { recursive: true })
  })

  it('is one section as a table where that is asked for', async () => {
    const page = await open(service.filled.owner, '/app/exports?kind=organisation')
    await page.getByLabel('What', { exact: true }).selectOption('keys')
    await page.getByLabel('As', { exact: true }).selectOption('csv')
    const { name, text } = await saved(page, 'Make the export')
    await page.getByText('It ends by saying that it is whole.').waitFor()
    expect(name).toMatch(/countersign-keys-.*\.csv$/)
    expect(text.split('\r\n')[0]).toMatch(/^id,object,/)
  })

  it.each([
    ['{"object":"export"\n,\n"audit":[{"id":1}', 'broken off'],
    ['{"object":"export"\n,\n"audit":[]\n,"unreadable_entries":2,"complete":false}\n', 'could not be read'],
  ])('is not called whole where it is not: %s', async (body, words) => {
    const page = await pageOf(service.filled.owner)
    await page.route('**/api/settings/export?*', (route) =>
      route.fulfill({
        body,
        headers: { 'content-type': 'application/json', 'content-disposition': 'attachment; filename="x.json"' },
      }),
    )
    await open(page, '/app/exports?kind=organisation')
    await saved(page, 'Make the export')
    await page.getByText(words).waitFor()
    await expect.poll(() => page.getByText('says that it is whole').count()).toBe(0)
  })

  it('says how far it is, and stops', async () => {
    const page = await pageOf(service.filled.owner)
    await page.route('**/api/settings/export?*', () => undefined)
    await open(page, '/app/exports?kind=organisation')
    await page.getByRole('button', { name: 'Make the export' }).click()
    await page.getByRole('progressbar', { name: 'Export' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })

  it('says when another one can be made', async () => {
    const page = await pageOf(service.filled.owner, { provoked: refusedWith(429) })
    await page.route('**/api/settings/export?*', (route) =>
      route.fulfill({
        status: 429,
        json: {
          error: {
            code: 'rate_limit_exceeded',
            message: 'You have made the five exports.',
            retry_after: 1200,
            request_id: 'req_1',
          },
        },
      }),
    )
    await open(page, '/app/exports?kind=organisation')
    await page.getByRole('button', { name: 'Make the export' }).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/five exports.*20 minutes/)
  })
})
