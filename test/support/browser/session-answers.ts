// What a browser is told of who has signed in, changed for a test: the role of somebody whom nobody has to invite first.
import type { Page } from 'playwright-core'
import { z } from 'zod'

export type Role = 'owner' | 'admin' | 'developer' | 'auditor' | 'clinician'

const UserSchema = z.looseObject({ organisations: z.array(z.looseObject({})) })

/** The page believes it; the service goes by what the person is. */
export async function withRole(page: Page, role: Role): Promise<void> {
  await page.route('**/api/auth/me', async (route) => {
    const answer = await route.fetch({ maxRetries: 2 })
    const user = UserSchema.parse(await answer.json())
    const organisations = user.organisations.map((organisation) => ({ ...organisation, role }))
    await route.fulfill({ response: answer, json: { ...user, organisations } })
  })
}
