// Readings beside choices: blocks and totals in the order of the answer, what is too few, and nothing that ranks.
import { describe, expect, it } from 'vitest'
import { saved, showRole } from '../support/browser/acts.ts'
import { origin, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { showOutcomes } from '../support/browser/prepared-evidence.ts'

const PATH = '/app/concordance'

describe('the concordance', () => {
  it('shows coverage, blocks and their sum in the order of the answer, with nothing to sort by', async () => {
    const page = await pageOf(service.filled.owner)
    await showOutcomes(page)
    await open(page, PATH)
    const main = page.locator('main')
    await main.getByText('This compares readings with choices. It does not say who was right.').waitFor()
    await main.getByText('28 of 71 readings of September to October 2026 have an outcome', { exact: true }).waitFor()
    const table = page.getByRole('table')
    const rows = table.locator('tbody tr')
    await expect
      .poll(async () => (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim()))
      .toEqual([
        'Urology September to October 2026 13 7 2 4 11 of 13 57.8% to 95.7% 9 of 13 42.4% to 87.3%',
        'None October 2026 11 0 11 0 0 of 11 0% to 25.9% 0 of 11 0% to 25.9%',
        'Blocks shown 24 7 13 4 11 of 24 27.9% to 64.9% 9 of 24 21.2% to 57.3%',
      ])
    await expect.poll(() => table.locator('.range').first().getAttribute('d')).toBe('M57.8 10H95.7')
    await expect.poll(() => main.locator('table :is(button, a, [aria-sort]), select, input').count()).toBe(0)
    await expect.poll(() => main.innerText()).not.toMatch(/accura|confiden|rank|best|worst|score/i)
    await main.getByText('too few of each specialty to be shown').waitFor()
    const { name } = await saved(page, 'Save as CSV')
    expect(name).toBe('invented-data-countersign-concordance.csv')
  })

  it('says what an outcome is where there is none, and offers no file of nothing', async () => {
    const page = await open(service.filled.owner, PATH)
    await page.getByRole('heading', { name: 'Nothing to compare yet' }).waitFor()
    await page.getByRole('term').filter({ hasText: 'Overridden' }).waitFor()
    const report = page.getByRole('region', { name: 'Report a choice' })
    await report.getByText(`${origin}/v1/referral/outcome`).waitFor()
    const link = report.getByRole('link', { name: 'Integrate it' })
    await expect.poll(() => link.getAttribute('href')).toBe('/docs/integrate-readings#after-the-choice')
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    await expect.poll(() => page.locator('main').getByRole('button').count()).toBe(1)
  })

  it.each(['developer', 'clinician', 'auditor'] as const)(
    'is in the menu of those who may read it: %s',
    async (role) => {
      const page = await pageOf(service.filled.owner)
      await showRole(page, role)
      await open(page, '/app')
      const link = page.getByRole('navigation').getByRole('link', { name: 'Concordance' })
      await expect.poll(() => link.count()).toBe(role === 'auditor' ? 1 : 0)
    },
  )
})
