// One's own account: password, sessions, organisations, erasure.
import { describe, expect, it } from 'vitest'
import { abortFirst, pathsOf, refuseFirst, signIn } from '../support/browser/acts.ts'
import { member, origin, ownerOn, pageOf, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask, mailedLink, mailsTo, newMember, newPerson } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const PASSWORD = 'a wet morning in late november'

const owner = (): Person => ownerOn('pro')

describe('the account', () => {
  it('is shown to whoever has signed in, with hostile names as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const page = await open(await newPerson(hostile), '/app/account')
    await page.getByRole('listitem').getByText(hostile, { exact: true }).waitFor()
    await page.getByText('You are in no organisation').waitFor()
    await expect.poll(() => page.locator('#island img').count()).toBe(0)
  })

  it('says what failed and asks again, where the sessions cannot be listed', async () => {
    // The list shows three sessions, and other files sign this owner in.
    const page = await pageOf(await newPerson())
    await abortFirst(page, '**/api/auth/sessions*')
    await open(page, '/app/account')
    await page.getByRole('alert').getByText('could not be reached').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This one').waitFor()
  })
})

describe('the profile', () => {
  it('has another name, refused in place or shown in the frame at once', async () => {
    const page = await open(await newPerson(), '/app/account', { provoked: refusedWith(400) })
    await page.getByRole('button', { name: 'Change name' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change your name' })
    await dialog.getByLabel('Name').fill('Call 0035312345678')
    await dialog.getByRole('button', { name: 'Save name' }).click()
    await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
    await dialog.getByLabel('Name').fill('Zoë Xavier')
    await dialog.getByRole('button', { name: 'Save name' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'ZX, account of Zoë Xavier' }).waitFor()
    await page.getByRole('listitem').getByText('Zoë Xavier', { exact: true }).waitFor()
  })

  it('has another address once the mailed link was opened, whose token no request names', async () => {
    const person = await newPerson()
    const page = await open(person, '/app/account', { provoked: refusedWith(400) })
    const asked = pathsOf(page)
    const email = `new-${person.email}`
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByLabel('New e-mail address').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText(`A mail is on its way to ${email}`).waitFor()
    const link = await mailedLink(email, 'app/account')
    await expect.poll(async () => (await mailsTo(person.email)).at(0)?.text).toContain('asked to use another address')

    const openLink = () => page.goto('/app').then(() => page.goto(link))
    await openLink()
    await page.getByRole('button', { name: 'Use the new address' }).click()
    await page.getByText(`Your address is now ${email}`).waitFor()
    await page.getByRole('listitem').getByText(email, { exact: true }).waitFor()
    expect(asked.join()).not.toContain(link.split('#')[1])
    await openLink()
    await page.getByRole('button', { name: 'Use the new address' }).click()
    await page.getByRole('alert').getByText('The link was used already').waitFor()
  })

  it('says how many notices are chosen, and leads to them', async () => {
    const page = await open(owner(), '/app/account')
    await page.getByText(/^No mails chosen in /).waitFor()
    await page.getByRole('link', { name: 'Choose notices' }).click()
    await page.waitForURL('**/app/notices*')
  })
})

describe('notices', () => {
  it('are chosen, mailed with a link and without a word of the policy, and listed', async () => {
    const person = owner()
    const page = await open(person, '/app/notices')
    await page.getByText('No mail was sent yet').waitFor()
    await page.getByLabel('The policy was changed').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    const policy = { model_allowlist: { models: ['gpt-4.1-mini'] }, medical_use_cases: ['marked-use'] }
    await ask('PUT', '/api/policies', policy, await sessionOf(person))
    const told = async () => (await mailsTo(person.email)).filter(({ text }) => text.includes('the policy was changed'))
    await expect.poll(async () => (await told()).length).toBe(1)
    const [mail] = await told()
    expect(mail?.text).toContain(`${origin}/app/policies`)
    expect(mail?.text).not.toMatch(/gpt-4|marked-use/)
    await page.reload()
    await expect.poll(() => page.getByLabel('The policy was changed').isChecked()).toBe(true)
    await page.getByRole('row').getByText('The policy was changed').waitFor()
  })
})

const NOT_FRESH = {
  error: {
    code: 'fresh_sign_in_required',
    message: 'Not confirmed.',
    request_id: 'req_1',
    methods: ['password'],
    full: true,
  },
}

describe('the password', () => {
  it('is changed by the one before, which signs others out', async () => {
    const person = await newPerson()
    const page = await open(person, '/app/account', { provoked: refusedWith(401) })
    await page.getByRole('button', { name: 'Change the password' }).click()
    // For a password manager, which passes over fields of the type hidden.
    const username = page.locator('form input[autocomplete=username]:not([type=hidden])')
    await expect.poll(() => username.inputValue()).toBe(person.email)
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('alert').getByText('The current password is wrong').waitFor()
    await expect.poll(() => page.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Current password').fill(person.password)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('The password is changed').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('The password is changed')
    await expect.poll(() => page.getByLabel('New password').count()).toBe(0)
  })

  it('is changed once the person has confirmed by the password, where the session is not fresh', async () => {
    const person = await newPerson()
    const page = await pageOf(person, { provoked: refusedWith(401) })
    await refuseFirst(page, '**/api/auth/password', NOT_FRESH.error)
    await open(page, '/app/account')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByLabel('Current password').fill(person.password)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()

    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel(`Password of ${person.email}`).fill('not the password')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByRole('alert').getByText('The password is wrong. Type it again.').waitFor()
    await dialog.getByLabel(`Password of ${person.email}`).fill(person.password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The password is changed').waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
  })

  it('stays where the person thinks better of confirming', async () => {
    const page = await pageOf(owner(), { provoked: refusedWith(401) })
    await page.route('**/api/auth/password', (route) => route.fulfill({ status: 401, json: NOT_FRESH }))
    await open(page, '/app/account')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByLabel('Current password').fill(owner().password)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('alert').getByText('Not confirmed.').waitFor()
    await expect.poll(() => page.getByLabel('New password').inputValue()).toBe(PASSWORD)
  })
})

describe('the sessions', () => {
  it('are listed, and another one is ended', async () => {
    const person = await newPerson()
    const elsewhere = await pageOf(null)
    await elsewhere.goto('/sign-in')
    await signIn(elsewhere, person)
    await elsewhere.waitForURL('**/app')

    const page = await open(person, '/app/account')
    // This one, which began with signing up, and the one elsewhere.
    await page.getByText('2 sessions', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out there' }).first().click()
    await page.getByText('1 session', { exact: true }).waitFor()

    await elsewhere.goto('/app/account')
    await elsewhere.waitForURL('**/sign-in?to=*')
  })

  it('all end, this one too', async () => {
    const page = await open(await newPerson(), '/app/account')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Sign out, here too' }).click()
    await page.waitForURL('**/sign-in')
    await expect.poll(() => page.evaluate("fetch('/api/auth/me').then(({ status }) => status)")).toBe(401)
  })
})

describe('leaving an organisation', () => {
  it('is refused to its last owner, and takes everybody else out of it', async () => {
    const leaver = await newMember(owner(), 'developer')
    await ask('POST', '/api/keys', { name: 'A key of the leaver' }, await sessionOf(leaver))
    await using last = await member(owner(), { provoked: refusedWith(409) })
    await open(last.page, '/app/account')
    await last.page.getByRole('button', { name: /^Leave/ }).click()
    await last.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await last.page.getByRole('alert').getByText('last owner').waitFor()

    const page = await pageOf(leaver, { provoked: refusedWith(409) })
    await abortFirst(page, '**/api/keys*')
    await open(page, '/app/account')
    await page.getByRole('button', { name: /^Leave/ }).click()
    await page.getByText('Your keys could not all be listed. All keys that you made are revoked.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/^1 key will be revoked: A key of the leaver/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You are in no organisation').waitFor()
  })
})

describe('erasing the account', () => {
  it('is refused to the only owner of an organisation', async () => {
    const page = await open(owner(), '/app/account', { provoked: refusedWith(409) })
    await page.getByRole('button', { name: /^Erase this account/ }).click()
    await page.getByLabel(/^To go on, type/).fill(owner().email)
    await page.getByRole('button', { name: 'Erase it in seven days' }).click()
    await page.getByRole('alert').getByText('only owner of an organisation').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).not.toContain('/api/')
  })

  it('asks for the address, signs out everywhere, and is cancelled after signing in again', async () => {
    const person = await newPerson()
    const page = await pageOf(person)
    let asked = 0
    page.on('request', (request) => (asked += Number(request.url() === `${origin}/api/auth/erasure`)))
    await open(page, '/app/account')
    await page.getByRole('button', { name: /^Erase this account/ }).click()
    await page.getByRole('dialog').getByText('The keys that you made are revoked').waitFor()
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
    await signIn(page, person)
    await page.waitForURL(`${origin}/app/account`)
    await page.getByText('This account is to be erased').waitFor()
    await page.getByRole('button', { name: 'Cancel the erasure' }).click()
    await page.getByText('The erasure is cancelled').waitFor()
    await open(page, '/app/account')
    await page.getByRole('button', { name: /^Erase this account/ }).waitFor()
    await expect.poll(() => page.getByText('This account is to be erased').count()).toBe(0)
  })
})
