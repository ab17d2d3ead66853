// One's own account: password, sessions, organisations, erasure.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { member, origin, ownerOn, visitor } from '../support/browser/browser.ts'
import { settled } from '../support/browser/pages.ts'
import { newMember, newPerson } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'

const PASSWORD = 'a wet morning in late november'

const owner = (): Person => ownerOn('pro')

async function atAccount(page: Page): Promise<void> {
  await page.goto('/app/account')
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  await settled(page)
}

describe('the account', () => {
  it('is shown to whoever has signed in, with hostile names as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    await using somebody = await member(await newPerson(hostile))
    const { page } = somebody
    await atAccount(page)
    await page.locator('dd').getByText(hostile, { exact: true }).waitFor()
    await page.getByText('You are in no organisation').waitFor()
    await expect.poll(() => page.locator('#island img').count()).toBe(0)
  })

  it('says what failed and asks again, where the sessions cannot be listed', async () => {
    await using somebody = await member(owner())
    const { page } = somebody
    await page.route('**/api/auth/sessions', (route) => route.abort(), { times: 1 })
    await atAccount(page)
    await page.getByRole('alert').getByText('could not be reached').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('this one').waitFor()
  })
})

describe('the password', () => {
  it('is changed by the one before, which signs others out', async () => {
    const person = await newPerson()
    await using somebody = await member(person)
    const { page } = somebody
    await atAccount(page)
    // For a password manager, which passes over fields of the type hidden.
    const username = page.locator('form input[autocomplete=username]:not([type=hidden])')
    await expect.poll(() => username.inputValue()).toBe(person.email)
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('alert').getByText('not your current password').waitFor()
    await page.getByLabel('Current password').fill(person.password)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The password is changed').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('The password is changed')
    await expect.poll(() => page.getByLabel('New password').inputValue()).toBe('')
  })

  it('is changed once the person has signed in again in place, where the session is not fresh', async () => {
    const person = await newPerson()
    await using somebody = await member(person)
    const { page } = somebody
    const error = { code: 'fresh_sign_in_required', message: 'Sign in again.', request_id: 'req_1' }
    await page.route('**/api/auth/password', (route) => route.fulfill({ status: 401, json: { error } }), { times: 1 })
    await atAccount(page)
    await page.getByLabel('Current password').fill(person.password)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change the password' }).click()

    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel(`Password of ${person.email}`).fill('not the password')
    await dialog.getByRole('button', { name: 'Sign in and go on' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(`Password of ${person.email}`).fill(person.password)
    await dialog.getByRole('button', { name: 'Sign in and go on' }).click()
    await page.getByText('The password is changed').waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
  })

  it('stays where the person thinks better of signing in again', async () => {
    await using somebody = await member(owner())
    const { page } = somebody
    const error = { code: 'fresh_sign_in_required', message: 'Sign in again.', request_id: 'req_1' }
    await page.route('**/api/auth/password', (route) => route.fulfill({ status: 401, json: { error } }))
    await atAccount(page)
    await page.getByLabel('Current password').fill(owner().password)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('alert').getByText('Sign in again.').waitFor()
    await expect.poll(() => page.getByLabel('New password').inputValue()).toBe(PASSWORD)
  })
})

describe('the sessions', () => {
  it('are listed, and another one is ended', async () => {
    const person = await newPerson()
    await using elsewhere = await visitor()
    await elsewhere.page.goto('/sign-in')
    await elsewhere.page.getByLabel('E-mail address').fill(person.email)
    await elsewhere.page.getByLabel('Password', { exact: true }).fill(person.password)
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).click()
    await elsewhere.page.waitForURL('**/app')

    await using somebody = await member(person)
    const { page } = somebody
    await atAccount(page)
    // One of signing up, one elsewhere, this one.
    await page.getByText('3 sessions shown').waitFor()
    await page.getByRole('button', { name: 'End the session' }).first().click()
    await page.getByText('2 sessions shown').waitFor()
    await page.getByRole('button', { name: 'End the session' }).first().click()
    await page.getByText('1 session shown').waitFor()

    await elsewhere.page.goto('/app/account')
    await elsewhere.page.waitForURL('**/sign-in?to=*')
  })

  it('all end, this one too', async () => {
    await using somebody = await member(await newPerson())
    const { page } = somebody
    await atAccount(page)
    await page.getByRole('button', { name: 'End all sessions' }).click()
    await page.getByRole('button', { name: 'End all, this one too' }).click()
    await page.waitForURL('**/sign-in')
    await expect.poll(() => page.evaluate("fetch('/api/auth/me').then(({ status }) => status)")).toBe(401)
  })
})

describe('leaving an organisation', () => {
  it('is refused to its last owner, and takes everybody else out of it', async () => {
    const leaver = await newMember(owner(), 'developer')
    await using last = await member(owner())
    await atAccount(last.page)
    await last.page.getByRole('button', { name: /^Leave/ }).click()
    await last.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await last.page.getByRole('alert').getByText('last owner').waitFor()

    await using somebody = await member(leaver)
    const { page } = somebody
    await atAccount(page)
    await page.getByRole('button', { name: /^Leave/ }).click()
    await page.getByRole('checkbox', { name: /^Revoke the keys/ }).check()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You are in no organisation').waitFor()
  })
})

describe('erasing the account', () => {
  it('is refused to the only owner of an organisation', async () => {
    await using somebody = await member(owner())
    const { page } = somebody
    await atAccount(page)
    await page.getByRole('button', { name: /^Erase this account/ }).click()
    await page.getByLabel(/^To go on, type/).fill(owner().email)
    await page.getByRole('button', { name: 'Erase it in seven days' }).click()
    await page.getByRole('alert').getByText('only owner of an organisation').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).not.toContain('/api/')
  })

  it('asks for the address, signs out everywhere, and is cancelled after signing in again', async () => {
    const person = await newPerson()
    await using somebody = await member(person)
    const { page } = somebody
    let asked = 0
    page.on('request', (request) => (asked += Number(request.url() === `${origin}/api/auth/erasure`)))
    await atAccount(page)
    await page.getByRole('button', { name: /^Erase this account/ }).click()
    await page.getByLabel(/^To go on, type/).fill('another@practice.example')
    await page.getByRole('button', { name: 'Erase it in seven days' }).click()
    expect(asked).toBe(0)
    await page.getByLabel(/^To go on, type/).fill(person.email)
    await page.getByRole('button', { name: 'Erase it in seven days' }).click()
    // Nobody leaves before the answer is there: what was asked for is told.
    await page.keyboard.press('Escape')

    await page.getByRole('heading', { name: 'You are signed out everywhere' }).waitFor()
    // There is nothing to go back to behind it.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${origin}/app/account`)
    await page.getByText('This account is to be erased').waitFor()
    await page.getByRole('button', { name: 'Cancel the erasure' }).click()
    await page.getByText('The erasure is cancelled').waitFor()
    await atAccount(page)
    await page.getByRole('button', { name: /^Erase this account/ }).waitFor()
    await expect.poll(() => page.getByText('This account is to be erased').count()).toBe(0)
  })
})
