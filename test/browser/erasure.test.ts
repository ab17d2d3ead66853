// The erasure of an organisation: asked for by its name, seen on every page, cancelled, or done at once and shown by its record.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { pathsOf, showRole } from '../support/browser/acts.ts'
import { member, origin, ownerOn, pageOf, sessionOf } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { ask, keyOf, ownOrganisation } from '../support/browser/people.ts'
import { MOST_SHIFT } from '../support/browser/sights.ts'
import { barriersOf, shiftOf, refusedWith } from '../support/browser/visitor.ts'

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

async function eraseBy(page: Page, name: string, verb: string): Promise<void> {
  await page.getByLabel('Type the organisation’s name').fill(name)
  await page.getByRole('button', { name: verb }).click()
}

const bar = (page: Page) => page.getByRole('region', { name: 'The organisation will be erased' })

describe('the erasure of an organisation', () => {
  it('says what goes and what stays, is seen on every page, and is cancelled', async () => {
    const organisation = await ownOrganisation()
    const key = await keyOf(organisation)
    await using somebody = await member(organisation.owner, { provoked: refusedWith(403) })
    const { page } = somebody
    await open(page, '/app/settings?part=erasure')
    const words = (await page.locator('#settings-erasure').textContent()) ?? ''
    for (const part of ['At once', 'After 7 days', 'By day 37', 'What stays', 'hashes of log entries'])
      expect(words).toContain(part)
    await eraseBy(page, organisation.name, 'Erase organisation in 7 days')
    await bar(page).waitFor()
    expect(await statusWith(key)).toBe(403)

    await page.goto('/app/keys')
    await bar(page).waitFor()
    await settled(page)
    await expect.poll(() => bar(page).textContent()).toMatch(/in [67] days/)
    await expect.poll(() => shiftOf(page)).toBeLessThan(MOST_SHIFT)
    await expect.poll(() => barriersOf(somebody)).toEqual([])
    await bar(page).getByRole('link').click()
    await settled(page)
    await page.getByRole('region', { name: 'Organisation', exact: true }).getByLabel('Name').fill('Another name')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Cancel the erasure' }).click()
    await page.getByText('The erasure is cancelled', { exact: false }).waitFor()
    await bar(page).waitFor({ state: 'detached' })
    await expect.poll(() => statusWith(key)).toBe(200)
  })

  it('is not asked for by another name', async () => {
    const { owner, name } = await ownOrganisation()
    const page = await pageOf(owner)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await open(page, '/app/settings?part=erasure')
    const field = page.getByLabel('Type the organisation’s name')
    await field.fill(name.toUpperCase())
    await field.press('Enter')
    await expect
      .poll(() => page.getByRole('button', { name: 'Erase organisation in 7 days' }).getAttribute('aria-disabled'))
      .toBe('true')
    expect(sent).not.toContain('POST')
  })

  it('done at once shows its signed record, which anybody can read', async () => {
    const { owner, name } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=erasure')
    await page.getByRole('radio', { name: /At once/ }).check()
    await eraseBy(page, name, 'Erase organisation at once')
    const link = page.getByRole('link', { name: 'Its signed record' })
    await link.waitFor()
    const record = await fetch(`${origin}${(await link.getAttribute('href')) ?? ''}`)
    expect(((await record.json()) as { v: string }).v).toBe('erasure-1')
    // A person without another organisation is deleted with this one.
    await page.goto('/app/settings')
    await page.waitForURL('**/sign-in?to=*')
  })

  it('is for owners: a colleague is told of it, and is offered nothing', async () => {
    const { owner, name } = await ownOrganisation()
    await ask('POST', '/api/settings/erasure', { name }, await sessionOf(owner))
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await showRole(page, 'admin')
    await open(page, '/app/settings?part=erasure')
    await bar(page).getByText('An owner can cancel it until then.', { exact: false }).waitFor()
    await page.getByText('Only an owner can have the organisation erased.').waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: /eras/i }).filter({ hasNotText: 'content' }).count())
      .toBe(0)
    expect(asked).not.toContain('/api/settings/erasure')
  })

  it('is not asked after where the organisation has none', async () => {
    const page = await pageOf(ownerOn('pro'))
    const asked = pathsOf(page)
    await open(page, '/app/settings?part=erasure')
    await page.getByRole('button', { name: 'Erase organisation in 7 days' }).waitFor()
    expect(asked).not.toContain('/api/settings/erasure')
  })
})
