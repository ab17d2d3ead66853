// The dashboard as somebody with another role sees it. The service still goes by the person's own role, which other tests cover.
import type { Page } from 'playwright-core'
import type { Role } from '../../../src/accounts/access/roles.policy.ts'

export async function showRole(page: Page, role: Role): Promise<void> {
  await page.route('**/api/auth/me', async (route) => {
    const response = await route.fetch({ maxRetries: 2 })
    const user = (await response.json()) as { organisations: object[] }
    const organisations = user.organisations.map((organisation) => ({ ...organisation, role }))
    await route.fulfill({ response, json: { ...user, organisations } })
  })
}
