// Every page of the dashboard for each role that it is not for, and what pages say on a tier that does not include them.
import { describe, expect, it } from 'vitest'
import { may, ROLES, rolesWith } from '../../src/accounts/access/roles.policy.ts'
import { DASHBOARD_PAGES, type DashboardPage } from '../../src/pages/pages.ts'
import { pathsOf, showRole } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

const REFUSED = Object.entries<DashboardPage>(DASHBOARD_PAGES).flatMap(([path, page]) => {
  if (page.needs === 'session' || page.needs === 'membership') return []
  const { needs, what } = page
  return ROLES.filter((role) => !may(role, needs)).map((role) => ({ path, role, needs, what }))
})

/** The requests of the frame around every page. */
const OF_FRAME = new Set(['/api/auth/me', '/api/approvals'])

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
    ['/app/analytics', 'free', 'The tiers with analytics: starter'],
    ['/app/approvals', 'free', 'with the tiers pro, healthcare, enterprise. Yours is free.'],
    ['/app/anomalies', 'pro', 'healthcare, enterprise'],
  ])('%s says calmly on the tier %s which tiers have it', async (path, tier, words) => {
    const page = await open(ownerOn(tier), path)
    await expect.poll(() => page.locator('main').innerText()).toContain(words)
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
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
