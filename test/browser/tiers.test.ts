// Tests the page of tiers and limits: a table where there is room, cards where there is not, and no script needed.
import { expect, it } from 'vitest'
import { TIERS } from '../../src/policies/tier.policy.ts'
import { pageOf } from '../support/browser/browser.ts'
import { ownOrganisation } from '../support/browser/people.ts'
import { open } from '../support/browser/pages.ts'

it('compares the tiers in a table, or on a phone in cards', async () => {
  const page = await open(null, '/tiers')
  const table = page.getByRole('table', { name: 'What each tier has' })
  const cards = page.locator('main section:has(h2.title)')
  await expect.poll(() => table.getByRole('columnheader').allInnerTexts()).toHaveLength(TIERS.length)
  await expect
    .poll(() =>
      table
        .getByRole('row', { name: /^Approval by people/ })
        .getByRole('cell')
        .allInnerTexts(),
    )
    .toEqual(['–\nNo', '–\nNo', 'Yes', 'Yes', 'Yes'])
  await expect.poll(() => cards.first().isVisible()).toBe(false)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => table.isVisible()).toBe(false)
  await expect
    .poll(() => cards.nth(1).innerText())
    .toMatch(/Starter\s+How to ask\s+for Starter\s+For one team. Compared with Free:[^]+All \d+ models/)
})

it('leads to where an owner asks for a tier, and says who decides', async () => {
  const { owner } = await ownOrganisation()
  const page = await open(owner, '/tiers')
  await page.getByRole('link', { name: 'How to ask for Healthcare' }).click()
  await page.getByText('The operator of the service decides').waitFor()
  await page.getByRole('link', { name: 'overview' }).click()
  for (const tier of ['Starter', 'Pro', 'Healthcare', 'Enterprise'])
    await page.getByRole('button', { name: `Ask for ${tier}`, exact: true }).waitFor()
  const topOfCard = "document.querySelector('#not-in-tier').getBoundingClientRect().top"
  await expect.poll(() => page.evaluate<number>(topOfCard)).toBeLessThan(page.viewportSize()?.height ?? 0)
})

it('is led to from the foot, and needs no script', async () => {
  const page = await open(null, '/status')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Tiers and limits' }).click()
  await page.getByRole('heading', { name: 'Tiers and limits', level: 1 }).waitFor()
  const without = await pageOf(null, { javaScript: false })
  await without.goto('/tiers')
  await without.getByRole('table', { name: 'What each tier has' }).waitFor()
})
