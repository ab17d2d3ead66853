// Signing in by a passkey or with a second factor, and confirming that it is you.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { refuseFirst, signIn } from '../support/browser/acts.ts'
import { addApp, addAuthenticator, addPasskey, nextCode } from '../support/browser/authenticator.ts'
import { origin, pageOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { newPerson } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const PASSWORD = 'a wet morning in late november'

const passkeyButton = (where: Page | Locator) => where.getByRole('button', { name: 'Confirm with your passkey' })
const codeField = (where: Page | Locator) => where.getByLabel('Code of your authenticator app')
const nextStep = (page: Page) => page.getByRole('heading', { name: 'One more step', level: 1 }).waitFor()

/** A page of somebody whose device has a passkey of theirs, at their account. */
async function withPasskey() {
  const person = await newPerson()
  const page = await pageOf(person, { provoked: refusedWith(401) })
  const authenticator = await addAuthenticator(page)
  await open(page, '/app/account')
  await addPasskey(page)
  return { person, page, authenticator }
}

/** The browser suggests no passkey by itself: a test presses the button. */
const suggestNone = (page: Page) =>
  page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')

async function withApp() {
  const person = await newPerson()
  const app = await addApp(person)
  return { person, ...app }
}

describe('signing in', () => {
  it('takes a passkey alone, by one click', async () => {
    const { page } = await withPasskey()
    await page.context().clearCookies()
    await suggestNone(page)
    await page.goto('/sign-in?to=/app/account')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${origin}/app/account`)
  })

  it('takes the passkey that the browser suggests in the address field', async () => {
    const { page } = await withPasskey()
    await page.context().clearCookies()
    await page.goto('/sign-in?to=/app/account')
    await page.waitForURL(`${origin}/app/account`)
  })

  it('takes the password, then the passkey, and says where a device does not check who holds it', async () => {
    const { page, person, authenticator } = await withPasskey()
    const { cdp, authenticatorId } = authenticator
    await page.context().clearCookies()
    await suggestNone(page)
    await page.goto('/sign-in?to=/app/account')
    await signIn(page, person)
    await nextStep(page)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await passkeyButton(page).click()
    await page.getByRole('alert').getByText('Nothing was confirmed. Try again, or use another way.').waitFor()
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await passkeyButton(page).click()
    await page.waitForURL(`${origin}/app/account`)
  })

  it('takes the password, then a code, by the keyboard alone, and keeps a wrong code', async () => {
    const { person, secret } = await withApp()
    const page = await pageOf(null, { provoked: refusedWith(401), width: 390 })
    await page.goto('/sign-in?to=/app/account')
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.keyboard.press('Enter')
    await nextStep(page)
    await page.keyboard.type('000 000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This code is wrong, too old or used.').waitFor()
    await expect.poll(() => codeField(page).inputValue()).toBe('000 000')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(nextCode(secret))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/app/account`)
  })

  it('takes the password, then a recovery code', async () => {
    const { person, codes } = await withApp()
    const page = await pageOf(null)
    await page.goto('/sign-in?to=/app/account')
    await signIn(page, person)
    await nextStep(page)
    await page.getByRole('button', { name: 'I lost my device' }).click()
    await page.getByRole('link', { name: 'ask for the link' }).waitFor()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0]?.toLowerCase() ?? '')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/app/account`)
  })

  it('begins again where the first step is over, with what was typed', async () => {
    const { person, secret } = await withApp()
    const page = await pageOf(null, { provoked: refusedWith(401) })
    await page.goto('/sign-in')
    await signIn(page, person)
    await nextStep(page)
    await page.context().clearCookies({ name: '__Host-sign-in' })
    await codeField(page).fill(nextCode(secret))
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This took longer than ten minutes.').waitFor()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe(person.email)
  })

  it('goes on with the second step after an identity provider', async () => {
    const { person, secret } = await withApp()
    const page = await pageOf(null, { provoked: refusedWith(401) })
    const toStep = '/sign-in?step=second-factor&to=/app/account'
    await page.goto(toStep)
    await page.getByRole('alert').getByText('This took longer than ten minutes.').waitFor()
    await signIn(page, person)
    await nextStep(page)
    await page.goto(toStep)
    await nextStep(page)
    await page.getByRole('button', { name: 'Use a recovery code' }).waitFor()
    await codeField(page).fill(nextCode(secret))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/app/account`)
  })
})

describe('confirming that it is you', () => {
  /** Sends the form of the account page that changes the password, which the service asks a confirmation for. */
  async function change(page: Page, password: string, needed: object): Promise<Locator> {
    await refuseFirst(page, '**/api/auth/password', { code: 'fresh_sign_in_required', ...needed })
    await open(page, '/app/account')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    return page.getByRole('dialog', { name: 'Confirm that it is you' })
  }

  it('takes a passkey, and sends the request again', async () => {
    const { page, person } = await withPasskey()
    const dialog = await change(page, person.password, { methods: ['passkey'], full: true })
    await passkeyButton(dialog).click()
    await page.getByText('The password is changed').waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
  })

  it('takes a code with the password, where all that the person has is needed', async () => {
    const { person, secret } = await withApp()
    const page = await pageOf(person, { provoked: refusedWith(401) })
    const dialog = await change(page, person.password, { methods: ['totp'], full: true })
    await codeField(dialog).fill(nextCode(secret))
    await dialog.getByLabel(`Password of ${person.email}`).fill(person.password)
    await page.keyboard.press('Enter')
    await page.getByText('The password is changed').waitFor()
  })

  it('is asked once for all requests of a page, where the organisation requires a proof of the last day', async () => {
    const { page, person } = await withPasskey()
    const error = { code: 'second_factor_required', methods: ['passkey'] }
    for (const path of ['**/api/auth/sessions*', '**/api/auth/factors']) await refuseFirst(page, path, error)
    await page.goto('/app/account')
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByText('a second factor of the last 24 hours').waitFor()
    await expect.poll(() => dialog.count()).toBe(1)
    await passkeyButton(dialog).click()
    await page.getByText('This one', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('listitem').getByText(person.email).count()).toBe(1)
  })

  it('signs in again with both steps, where the session has ended', async () => {
    const { person, secret } = await withApp()
    const page = await pageOf(person, { provoked: refusedWith(401) })
    const dialog = await change(page, person.password, { methods: ['totp'], full: true })
    await codeField(dialog).fill(nextCode(secret))
    await dialog.getByLabel(`Password of ${person.email}`).fill(person.password)
    await page.context().clearCookies()
    await page.keyboard.press('Enter')
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByLabel(`Password of ${person.email}`).fill(person.password)
    await page.keyboard.press('Enter')
    await codeField(again).fill(nextCode(secret))
    await page.keyboard.press('Enter')
    await page.getByText('The password is changed').waitFor()
  })
})
