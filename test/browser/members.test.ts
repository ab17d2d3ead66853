// The members of an organisation: who is in it, who is invited, what each role may do.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf } from '../support/browser/acts.ts'
import { addApp } from '../support/browser/authenticator.ts'
import { member, ownerOn, pageOf, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask, invited, mailedLink, newEmail, newMember } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { overflowOf, refusedWith } from '../support/browser/visitor.ts'

const owner = (): Person => ownerOn('starter')

type Listed = { id: string; email: string; ends_at: string | null; status: string }

/** The member or invitation with this address, as the owner lists it. */
async function listed(path: string, email: string): Promise<Listed | undefined> {
  const { data } = await ask<{ data: Listed[] }>('GET', path, undefined, await sessionOf(owner()))
  return data.find((one) => one.email === email)
}

/** As its owner does it elsewhere. */
async function change(method: 'PATCH' | 'DELETE', { email }: Person, body: object = {}): Promise<void> {
  const found = await listed('/api/members', email)
  await ask(method, `/api/members/${found?.id}`, body, await sessionOf(owner()))
}

const removeMember = (person: Person): Promise<void> => change('DELETE', person)

const daysAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

describe('the members', () => {
  it('are for owners and admins: others are told calmly who sees them', async () => {
    const page = await pageOf(await newMember(owner(), 'auditor'))
    const asked = pathsOf(page)
    await open(page, '/app/members')
    await page.getByText('Your role does not include the members').waitFor()
    await page.getByText('The roles that include it: owner, admin.').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    expect(asked.filter((path) => path.startsWith('/api/members'))).toEqual([])
  })

  it('get another role, are removed, and are text whatever they are called', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const developer = await newMember(owner(), 'developer', hostile)
    const page = await open(owner(), '/app/members')
    await rowOf(page, developer.email).getByRole('rowheader', { name: hostile }).waitFor()
    const role = rowOf(page, developer.email).getByRole('combobox', { name: /^Role of/ })
    await expect.poll(() => role.getByRole('option').count()).toBe(5)
    await role.selectOption('clinician')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Create and revoke keys').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => role.inputValue()).toBe('developer')
    await role.selectOption('clinician')
    await dialog.getByRole('button', { name: 'Make them a clinician' }).click()
    await page.getByText(`${hostile} is a clinician now.`).waitFor()
    await expect.poll(() => role.inputValue()).toBe('clinician')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('is a clinician now')

    await rowOf(page, developer.email)
      .getByRole('button', { name: /^Remove/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(`${hostile} is removed.`).waitFor()
    await expect.poll(() => rowOf(page, developer.email).count()).toBe(0)
    await expect.poll(() => page.locator('#island img').count()).toBe(0)
  })

  it('who lost their second factor get it reset by two managers, and each can cancel that', async () => {
    const developer = await newMember(owner(), 'developer', 'Lost Device')
    const admin = await newMember(owner(), 'admin')
    await addApp(developer)
    const pages = []
    for (const manager of [admin, owner()]) {
      const page = await pageOf(manager, { provoked: refusedWith(404) })
      await open(page, '/app/members')
      pages.push(page)
    }
    for (const [by, button, done] of [
      [0, 'Ask for the reset', 'waits for another owner or admin'],
      [1, 'Cancel the reset', 'is cancelled'],
      [1, 'Ask for the reset', 'waits for another owner or admin'],
      [0, 'Agree to the reset', 'can ask for a link at the sign-in page from'],
      [0, 'Cancel the reset', 'is cancelled'],
    ] as const) {
      const page = pages[by] ?? expect.fail()
      await rowOf(page, developer.email)
        .getByRole('button', { name: /^Reset… second factor/ })
        .click()
      await page.getByRole('dialog').getByRole('button', { name: button }).click()
      await page.getByText(done).waitFor()
    }
  })

  it('get a role that takes nothing away at once, and it can be undone', async () => {
    const auditor = await newMember(owner(), 'auditor')
    const session = await sessionOf(auditor)
    const page = await open(owner(), '/app/members')
    const role = rowOf(page, auditor.email).getByRole('combobox', { name: /^Role of/ })
    await role.selectOption('admin')
    await page.getByText('is an admin now.').waitFor()
    await expect.poll(() => role.inputValue()).toBe('admin')
    await ask('POST', '/api/keys', { name: 'A key made meanwhile' }, session)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/is an auditor now\. 1 key revoked: A key made meanwhile/).waitFor()
    await expect.poll(() => role.inputValue()).toBe('auditor')
  })

  it('are asked for with the keys that end and those that stay, and all end if that is chosen', async () => {
    const admin = await newMember(owner(), 'admin')
    const session = await sessionOf(admin)
    const make = async (name: string, scopes: string[]) => ask('POST', '/api/keys', { name, scopes }, session)
    await make('A bot that manages', ['manage'])
    await make('A program that chats', ['chat'])
    const page = await open(owner(), '/app/members')
    const row = rowOf(page, admin.email)
    const dialog = page.getByRole('dialog')
    await row.getByRole('combobox', { name: /^Role of/ }).selectOption('developer')
    await dialog.getByText(/^1 key will be revoked: A bot that manages/).waitFor()
    await dialog.getByRole('checkbox', { name: /^Revoke 1 more key too: A program that chats/ }).waitFor()
    await dialog.getByRole('button', { name: 'Make them a developer' }).click()
    await page.getByText(/1 key revoked: A bot.* 1 key still at work: A program/).waitFor()
    await row.getByRole('combobox', { name: /^Role of/ }).selectOption('auditor')
    await dialog.getByText(/^1 key will be revoked: A program that chats/).waitFor()
    await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row.getByRole('button', { name: /^Remove/ }).click()
    await dialog.getByText(/^1 key will be revoked: A program that chats/).waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText(/is removed\. 1 key revoked: A program/).waitFor()
  })

  it('are asked for in plain words if their keys cannot be listed, and the list is asked for again', async () => {
    const admin = await newMember(owner(), 'admin')
    const session = await sessionOf(admin)
    await ask('POST', '/api/keys', { name: 'A bot that manages', scopes: ['manage'] }, session)
    await ask('POST', '/api/keys', { name: 'A program that chats' }, session)
    await using somebody = await member(owner(), { provoked: /with a status of 503 / })
    const { page } = somebody
    let isRefused = true
    await page.route(/\/api\/keys\?/, (route) =>
      isRefused ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    )
    await open(page, '/app/members')
    const row = rowOf(page, admin.email)
    const dialog = page.getByRole('dialog')
    await row.getByRole('button', { name: /^Remove/ }).click()
    await dialog.getByText('Their keys could not all be listed. All keys that they made are revoked.').waitFor()
    isRefused = false
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText(/^2 keys will be revoked: A program.* A bot/).waitFor()
    await expect.poll(() => dialog.getByText('could not all be listed').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    isRefused = true
    await row.getByRole('combobox', { name: /^Role of/ }).selectOption('developer')
    await dialog.getByText('Keys that the new role could not make are revoked.').waitFor()
    await dialog.getByRole('checkbox', { name: /^Revoke the others too/ }).check()
    await dialog.getByRole('button', { name: 'Make them a developer' }).click()
    await page.getByText(/2 keys revoked: A program.* A bot/).waitFor()
  })

  it('are asked for with twenty names of keys, and with a word if the list of keys is too long to load', async () => {
    const developer = await newMember(owner(), 'developer')
    const key = await ask<object>('POST', '/api/keys', { name: 'One of many' }, await sessionOf(developer))
    await using somebody = await member(owner())
    const { page } = somebody
    const data = Array.from({ length: 22 }, (_, index) => ({ ...key, id: `key_${index}` }))
    await page.route(/\/api\/keys\?/, (route) => route.fulfill({ json: { object: 'list', data, next_cursor: 'more' } }))
    await open(page, '/app/members')
    await rowOf(page, developer.email)
      .getByRole('button', { name: /^Remove/ })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Their keys could not all be listed. All keys that they made are revoked.').waitFor()
    await dialog.getByText(/^22 keys will be revoked: (?:One of many \(….{4}\),? ){20}and 2 more\. This/).waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  it.each([
    [1440, true],
    [1100, true],
    [1024, true],
    [820, true],
    [390, false],
  ])('are in a window of %i px columns if they have the room: %s', async (width, isShown) => {
    await using somebody = await member(owner())
    const { page } = somebody
    await page.setViewportSize({ width, height: 900 })
    await open(page, '/app/members')
    await rowOf(page, owner().email).waitFor()
    await expect.poll(() => page.getByRole('columnheader', { name: 'Since (UTC)' }).isVisible()).toBe(isShown)
    expect(await overflowOf(page)).toBe(0)
  })

  it('have a last owner, who stays', async () => {
    const page = await open(owner(), '/app/members', { provoked: refusedWith(409) })
    const own = rowOf(page, owner().email)
    const ownRole = own.getByRole('combobox', { name: /^Role of/ })
    await ownRole.waitFor()
    await expect.poll(() => own.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    await ownRole.selectOption('developer')
    await page.getByRole('dialog').getByRole('button', { name: 'Make me a developer' }).click()
    await page.getByRole('alert').getByText('last owner').waitFor()
  })

  it('let an admin touch no owner, and name none', async () => {
    await using somebody = await member(await newMember(owner(), 'admin'))
    const { page } = somebody
    await open(page, '/app/members')
    await rowOf(page, owner().email).waitFor()
    await expect.poll(() => rowOf(page, owner().email).locator('button, select').count()).toBe(0)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /^Admin/ }).waitFor()
    await expect.poll(() => dialog.getByRole('radio', { name: /^Owner/ }).count()).toBe(0)
  })
})

describe('an auditor', () => {
  it('is invited until a day, for which 90 days are proposed', async () => {
    const page = await open(owner(), '/app/members#invite')
    const email = newEmail()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('radio', { name: /^Clinician/ }).check()
    await expect.poll(() => page.getByLabel('Access ends').count()).toBe(0)
    await page.getByRole('radio', { name: /^Auditor/ }).check()
    await expect.poll(() => page.getByLabel('Access ends').inputValue()).toBe(daysAhead(90))
    await page.getByLabel('Access ends').fill(daysAhead(30))
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText(`${email} is mailed a link to join as an auditor.`).waitFor()
    const invitation = await listed('/api/members/invitations', email)
    expect(invitation?.ends_at).toBe(`${daysAhead(30)}T23:59:59.000Z`)
    await page.getByRole('button', { name: 'Close' }).click()
    await rowOf(page, email)
      .getByText(/^Ends /)
      .waitFor()
  })

  it('reads when the access ends, is told that it ended, and is extended', async () => {
    const auditor = await newMember(owner(), 'auditor')
    await using somebody = await member(auditor, { provoked: refusedWith(404) })
    // The page has the end that has come; the service has it a moment later.
    await changeAnswers<{ organisations: object[] }>(somebody.page, '**/api/auth/me', (user) => ({
      ...user,
      organisations: user.organisations.map((one) => ({ ...one, ends_at: '2026-02-24T23:59:59.000Z' })),
    }))
    await open(somebody.page, '/app/account')
    await somebody.page.getByText('Auditor, until 24 Feb 2026').waitFor()
    await change('PATCH', auditor, { ends_at: new Date(Date.now() + 2_000).toISOString() })
    const status = async () => (await listed('/api/members', auditor.email))?.status
    await expect.poll(status, { timeout: 15_000 }).toBe('ended')
    await somebody.page.getByRole('button', { name: /^Leave/ }).click()
    await somebody.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await somebody.page.getByText('Your access as an auditor ended on').waitFor()
    await open(somebody.page, '/app')
    await somebody.page.getByText('Your access has ended').waitFor()

    const page = await open(owner(), '/app/members')
    const row = rowOf(page, auditor.email)
    await row.getByText(/^Ended /).waitFor()
    await row.getByRole('button', { name: /^Extend/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Set end' }).click()
    await row.getByText(/^Ends /).waitFor()
    expect(await status()).toBe('active')
  })
})

describe('somebody who was removed', () => {
  it('is told so on the page that is still open, and is in no organisation from then on', async () => {
    const admin = await newMember(owner(), 'admin')
    await using somebody = await member(admin, { provoked: refusedWith(404) })
    const { page } = somebody
    await open(page, '/app/members')
    await removeMember(admin)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('E-mail address').fill(newEmail())
    await page.getByRole('radio', { name: /^Clinician/ }).check()
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByRole('alert').getByText('You are not a member of this organisation any more').waitFor()
    await page.reload()
    await page.getByText('You are in no organisation yet').waitFor()
  })
})

describe('an invitation', () => {
  it('is cancelled once, however often the button is pressed', async () => {
    const email = newEmail()
    await invited(owner(), email, 'auditor')
    const page = await pageOf(owner())
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'DELETE' && sent.push(request.url())))
    await open(page, '/app/members')
    await rowOf(page, email)
      .getByRole('button', { name: /^Cancel invitation/ })
      .dblclick()
    await page.getByText(`The invitation of ${email} is cancelled.`).waitFor()
    await expect.poll(() => rowOf(page, email).count()).toBe(0)
    expect(sent).toHaveLength(1)
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })

  it('is mailed, waits, and is cancelled; #invite opens its form', async () => {
    await using somebody = await member(owner(), { provoked: refusedWith(400) })
    const { page } = somebody
    const email = newEmail()
    await open(page, '/app/members#invite')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('radio', { name: /^Clinician/ }).check()
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText(`${email} is mailed a link to join as a clinician.`).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const link = await mailedLink(email, 'invite')

    await rowOf(page, email)
      .getByRole('button', { name: /^Cancel invitation/ })
      .click()
    await page.getByText(`The invitation of ${email} is cancelled.`).waitFor()
    await expect.poll(() => rowOf(page, email).count()).toBe(0)
    await page.goto(link)
    await page.getByRole('button', { name: 'Join the organisation' }).click()
    await page.getByRole('alert').getByText('was used, was revoked or has expired').waitFor()
  })

  it('is shown once as a link to hand over, where the service sends no mail', async () => {
    await using somebody = await member(owner())
    const { page } = somebody
    const url = `https://countersign.example/invite#h.${'a'.repeat(43)}`
    await page.route('**/api/members/invitations', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 201, json: { email: 'mary@example.org', role: 'admin', mailed: false, url } })
        : route.continue(),
    )
    await open(page, '/app/members')
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('E-mail address').fill('mary@example.org')
    await page.getByRole('radio', { name: /^Admin/ }).check()
    await page.getByRole('button', { name: 'Send invitation' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hand over this link' })
    await dialog.getByText(url).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.isVisible()).toBe(true)
    await dialog.getByRole('button', { name: 'I have handed it over' }).click()
    await expect.poll(() => page.getByText(url).count()).toBe(0)
    await expect.poll(() => page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('h.aaa')
  })
})
