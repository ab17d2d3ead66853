// Text of people, models, providers, files and errors that tries to be more than text, on every page of the dashboard.
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { member, service, sessionOf } from '../support/browser/browser.ts'
import { expectOnlyText, HOSTILE, poison } from '../support/browser/hostile-text.ts'
import { OF_MEMBERS, open, settled } from '../support/browser/pages.ts'
import { ask, keyOf, newMember, ownOrganisation } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

/** Opens everything that is folded, and the first item of a list. */
async function openMore(page: Page): Promise<void> {
  for (const summary of await page.locator('main summary').all()) await summary.click()
  const first = page.locator(`main tbody a[href*="${new URL(page.url()).pathname}?"]`).first()
  if ((await first.count()) === 0) return
  await first.click()
  await settled(page)
}

describe('hostile text', () => {
  it.each([...OF_MEMBERS, '/app/analytics?group=use_case'])('of answers is only text on %s', async (address) => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await poison(page)
    await open(page, address)
    await openMore(page)
    await expectOnlyText(somebody)
  })

  it('in the name of a file is no name that the system could take for a path', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await page.route('**/api/settings/export?*', (route) =>
      route.fulfill({
        body: '{"complete":true}',
        headers: {
          'content-type': 'application/json',
          'content-disposition': 'attachment; filename="<img data-hostile src=x onerror=noteFault(\'ran\')>.json"',
        },
      }),
    )
    await open(page, '/app/exports?kind=organisation')
    await page.getByRole('button', { name: 'Make the export' }).click()
    await page.getByText('<img data-hostile', { exact: false }).waitFor()
    await expectOnlyText(somebody)
  })

  it('of errors is only text on every page', async () => {
    await using somebody = await member(service.filled.owner, { provoked: refusedWith(400) })
    const { page } = somebody
    const fields = [{ path: HOSTILE, rule: HOSTILE }]
    await page.route(
      (url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me',
      (route) =>
        route.fulfill({
          status: 400,
          json: { error: { code: HOSTILE, message: HOSTILE, param: HOSTILE, fields, request_id: HOSTILE } },
        }),
    )
    // The page of exports requests nothing that it shows, until a file is made.
    for (const address of OF_MEMBERS.filter((one) => one !== '/app/exports')) {
      await open(page, address)
      await expectOnlyText(somebody)
    }
  })

  it('that people stored is only text on every page: names of the organisation, of keys and of members, use cases, policies', async () => {
    const organisation = await ownOrganisation(HOSTILE)
    const session = await sessionOf(organisation.owner)
    const key = await keyOf(organisation, HOSTILE.slice(0, 90))
    await newMember(organisation.owner, 'admin', HOSTILE.slice(0, 90))
    const policy = { use_case_guard: { allow: [HOSTILE.slice(0, 60)] } }
    // The service may refuse this text as a policy. Then no page can show it.
    await ask('PUT', '/api/policies', policy, session).catch(() => null)
    await fetch(`${service.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: HOSTILE, messages: [{ role: 'user', content: HOSTILE }] }),
    })
    await using somebody = await member(organisation.owner)
    for (const address of OF_MEMBERS) {
      await somebody.page.goto(address)
      await settled(somebody.page)
      await expectOnlyText(somebody)
    }
  })
})
