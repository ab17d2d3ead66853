// The views of a list that people save in its menu.
import { expect, it } from 'vitest'
import { signIn } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'

const { owner } = service.filled

it('a view of a list is saved under a name, outlives the session, and is deleted', async () => {
  const page = await pageOf(null)
  const name = '<img src=x onerror="document.title=1">'
  const openMenu = () => page.getByRole('button', { name: 'Columns and file of this list' }).click()
  const link = page.getByRole('link', { name })
  await page.goto('/sign-in')
  await signIn(page, owner)
  await page.waitForURL('**/app')
  await open(page, '/app/calls?outcome=blocked&cols=time,outcome,model&dense=yes')
  await openMenu()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('status').getByText(`Saved “${name}”.`).waitFor()
  await page.getByRole('button', { name: / account of / }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('**/sign-in')
  await signIn(page, owner)
  await page.waitForURL('**/app')
  await open(page, '/app/calls')
  await openMenu()
  await link.click()
  await page.waitForURL('**/app/calls?outcome=blocked&cols=time%2Coutcome%2Cmodel&dense=yes')
  await settled(page)
  const outcomes = page.locator('[data-row] .outcome')
  await expect.poll(async () => new Set(await outcomes.allInnerTexts())).toEqual(new Set(['Blocked']))
  await expect
    .poll(() =>
      page
        .getByRole('columnheader')
        .filter({ hasText: /Time|Cost|Model/ })
        .count(),
    )
    .toBe(2)
  await openMenu()
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  await page.getByRole('status').getByText(`Deleted “${name}”.`).waitFor()
  await expect.poll(() => link.count()).toBe(0)
})
