// Every page of the dashboard for each role that it is not for, and what pages say on a tier that does not include them.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { may, ROLES, rolesWith } from '../../src/accounts/access/roles.policy.ts'
import { DASHBOARD_PAGES, type DashboardPage } from '../../src/pages/pages.ts'
import { pathsOf, showRole } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ownOrganisation } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const REFUSED = Object.entries<DashboardPage>(DASHBOARD_PAGES).flatMap(([path, page]) => {
  if (page.needs === 'session' || page.needs === 'membership') return []
  const { needs, what } = page
  return ROLES.filter((role) => !may(role, needs)).map((role) => ({ path, role, needs, what }))
})

/** The requests of the frame around every page. */
const OF_FRAME = new Set(['/api/auth/me', '/api/approvals'])

/** Presses the button, and the one of the question that it asks. */
async function askFor(page: Page, tier: string): Promise<void> {
  const button = { name: `Ask for ${tier}` }
  await page.getByRole('button', button).click()
  await page.getByRole('dialog', button).getByRole('button', button).click()
}

const REFUSAL = {
  code: 'organisation_closing',
  type: 'permission_error',
  message: 'The organisation is to be erased. Cancel the erasure first.',
  param: null,
  request_id: 'req_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
}

describe('a page', () => {
  it.each(REFUSED)(
    '$path says calmly who has it, and asks nothing for a $role',
    async ({ path, role, needs, what }) => {
      const page = await pageOf(service.filled.owner)
      await showRole(page, role)
      const asked = pathsOf(page)
      await open(page, path)
      const notice = page.locator('#island .notice')
      await expect.poll(() => notice.innerText()).toContain(`Your role does not include ${what}`)
      const others = rolesWith(needs).filter((one) => one !== 'key')
      await expect.poll(() => notice.innerText()).toContain(`The roles that include it: ${others.join(', ')}.`)
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
      expect(asked.filter((one) => one.startsWith('/api/') && !OF_FRAME.has(one))).toEqual([])
    },
  )

  it.each([
    ['/app/analytics', 'free', 'Starter'],
    ['/app/anomalies', 'pro', 'Healthcare'],
  ])('%s offers on the tier %s to ask for %s, and asks nothing by itself', async (path, tier, lowest) => {
    const page = await pageOf(ownerOn(tier))
    const asked = pathsOf(page)
    await open(page, path)
    const main = page.locator('main')
    await expect.poll(() => main.innerText()).toContain(`Not in the ${tier === 'free' ? 'Free' : 'Pro'} tier`)
    // A phone keeps no room for buttons and a sentence that never come.
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => page.locator('#acts:visible, #lead:empty').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: `Ask for ${lowest}` }).count()).toBe(1)
    await expect.poll(() => page.getByRole('link', { name: 'Compare tiers' }).getAttribute('href')).toBe('/tiers')
    expect(asked.filter((one) => one.startsWith('/api/') && !OF_FRAME.has(one))).toEqual([])
  })

  it('of approvals offers to ask for them on the tier free, where a request of an earlier tier could still wait', async () => {
    const page = await open(ownerOn('free'), '/app/approvals')
    await page.getByRole('heading', { name: 'A person decides before the text is sent' }).waitFor()
    await page.getByRole('button', { name: 'Ask for Pro' }).waitFor()
    await page.getByRole('link', { name: 'Approvals , not in your tier' }).waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'History' }).count()).toBe(0)
  })

  it('says who asked for a tier, and when, once somebody has, to everybody', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/analytics')
    await askFor(page, 'Starter')
    const done = page.getByText(/^Asked for Starter on \d+ \w+ 20\d\d by /)
    await expect.poll(() => done.and(page.locator(':focus')).count()).toBe(1)
    await expect.poll(() => page.getByRole('button', { name: 'Ask for' }).count()).toBe(0)
    await showRole(page, 'auditor')
    await open(page, '/app/analytics')
    await done.waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Ask for' }).count()).toBe(0)
  })

  it('replaces a request for a tier that is too low, and says so before', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/analytics')
    await askFor(page, 'Starter')
    await page.getByText(/^Asked for Starter/).waitFor()
    await open(page, '/app/anomalies')
    await page.getByText(/Asked for Starter on .+\. Asking again replaces it\./).waitFor()
    await askFor(page, 'Healthcare')
    await page.getByText(/^Asked for Healthcare on /).waitFor()
    await open(page, '/app/analytics')
    await page.getByText(/^Asked for Healthcare on /).waitFor()
  })

  it.each(['developer', 'auditor'] as const)('tells a %s which roles may ask for its tier', async (role) => {
    const page = await pageOf(ownerOn('free'))
    await showRole(page, role)
    await open(page, '/app/analytics')
    await page.getByText('The roles that may ask: owner, admin.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Ask for' }).count()).toBe(0)
  })

  it('shows what failed when a request for a tier is refused, and keeps the button', async () => {
    const page = await pageOf(ownerOn('free'), { provoked: refusedWith(403) })
    await page.route('**/api/settings/tier-request', (route) =>
      route.fulfill({ status: 403, json: { error: REFUSAL } }),
    )
    await open(page, '/app/analytics')
    await askFor(page, 'Starter')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain(REFUSAL.message)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Ask for Starter' }).count()).toBe(1)
  })

  it.each(['free', 'starter', 'pro'])('requests nothing that the tier %s lacks', async (tier) => {
    const refused: string[] = []
    for (const path of Object.keys(DASHBOARD_PAGES)) {
      const page = await pageOf(ownerOn(tier))
      page.on('response', (response) => response.status() === 403 && refused.push(`${path} ${response.url()}`))
      await open(page, path)
      await page.close()
    }
    expect(refused).toEqual([])
  })
})
