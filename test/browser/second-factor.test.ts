// The account page's card of second factors: passkeys, the authenticator app, recovery codes.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers } from '../support/browser/acts.ts'
import { addAuthenticator } from '../support/browser/authenticator.ts'
import { origin, ownerOn, pageOf, visitor } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { newPerson } from '../support/browser/people.ts'
import { barriersOf, overflowOf, refusedWith, type Look } from '../support/browser/visitor.ts'
import { totpAt } from '../support/totp-app.ts'

const card = (page: Page) => page.getByRole('region', { name: 'Sign-in' })
const row = (page: Page, name: string | RegExp) => card(page).getByRole('listitem').filter({ hasText: name })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const codesDialog = (page: Page) => page.getByRole('dialog', { name: 'Your recovery codes' })

/** The account page of somebody new, who is in no organisation. */
async function openAccount(look: Look = {}): Promise<Page> {
  const page = await pageOf(await newPerson(), look)
  return open(page, '/app/account')
}

async function makePasskey(page: Page, name: string): Promise<void> {
  await button(page, 'Add a passkey').click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await button(page, 'Make the passkey').click()
}

async function readCodes(page: Page): Promise<string[]> {
  const text = await codesDialog(page).locator('pre').innerText()
  await button(page, 'I have saved them').click()
  await codesDialog(page).waitFor({ state: 'detached' })
  return text.split('\n')
}

async function beginApp(page: Page): Promise<string> {
  await button(page, 'Set up an app').click()
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  const secret = await page.getByRole('dialog').locator('code').innerText()
  return secret.replaceAll(' ', '')
}

describe('passkeys', () => {
  it('are added on two devices, once each, then renamed and removed', async () => {
    const page = await openAccount()
    await card(page).getByText('somebody who learns your password still cannot').waitFor()
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await button(page, 'Add a passkey').click()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toMatch(/^(Linux|Mac|Windows)$/)
    await page.getByLabel('Name', { exact: true }).fill('This device')
    await button(page, 'Make the passkey').click()
    expect(await readCodes(page)).toHaveLength(8)
    await row(page, 'This device').getByText('not used yet').waitFor()
    await card(page).getByText('Add a second device').waitFor()
    await page.getByRole('cell', { name: 'Password and passkey' }).waitFor()

    await makePasskey(page, 'The same')
    await page.getByRole('alert').getByText('This device has a passkey already.').waitFor()
    await page.keyboard.press('Escape')

    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    await addAuthenticator(page, { defaultBackupEligibility: true })
    const hostile = '<img src=x onerror=noteFault(1)>'
    await makePasskey(page, hostile)
    await row(page, hostile).getByText('Can be on several devices').waitFor()
    await expect.poll(() => card(page).locator('img').count()).toBe(0)

    await button(page, `Rename ${hostile}`).click()
    await page.getByLabel('Name', { exact: true }).fill('Work laptop')
    await button(page, 'Save name').click()
    await card(page).getByText('The passkey is renamed.').waitFor()

    await button(page, 'Remove Work laptop').click()
    await expect.poll(() => page.getByRole('dialog').getByText('your last second factor').count()).toBe(0)
    await button(page, 'Remove').click()
    await row(page, 'Work laptop').waitFor({ state: 'detached' })
    await button(page, 'Remove This device').click()
    await page.getByRole('dialog').getByText('your password is then enough again').waitFor()
    await button(page, 'Remove').click()
    await card(page).getByText('somebody who learns your password still cannot').waitFor()
  })

  it('are not made at an address of numbers, and the page says why', async () => {
    const person = await newPerson()
    const numbers = origin.replace('localhost', '127.0.0.1')
    await using somebody = await visitor({ provoked: /^request: / })
    const { page } = somebody
    await page.goto(`${numbers}/sign-in?to=/app/account`)
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await card(page).getByText('Open this page by its name').waitFor()
    await expect.poll(() => button(page, 'Add a passkey').isDisabled()).toBe(true)
  })
})

describe('an authenticator app', () => {
  it('is set up by its secret, with codes that are shown once', async () => {
    const page = await openAccount({ provoked: refusedWith(401) })
    const secret = await beginApp(page)
    const field = page.getByLabel('Code of your authenticator app')
    await field.fill('000000')
    await button(page, 'Confirm the code').click()
    await page.getByRole('alert').getByText('Type the next one').waitFor()
    await field.fill(totpAt(secret, Date.now()))
    await button(page, 'Confirm the code').click()

    await codesDialog(page).getByText('These are shown only now.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => card(page).isVisible()).toBe(false)
    await codesDialog(page).locator('pre').waitFor()
    await page.emulateMedia({ media: 'screen' })
    const saving = page.waitForEvent('download')
    await button(page, 'Save as a file').click()
    const saved = await readFile(await (await saving).path(), 'utf8')
    const codes = await readCodes(page)
    expect(codes).toHaveLength(8)
    expect(saved).toContain(codes.join('\n'))
    await card(page).getByText('The app is set up.').waitFor()
    await page.getByRole('cell', { name: 'Password and app' }).waitFor()

    await page.reload()
    await row(page, 'Recovery codes: 8 left').waitFor()
    await expect.poll(() => page.content()).not.toContain(codes[0])
    await button(page, 'New recovery codes').click()
    await button(page, 'Make new codes').click()
    const renewed = await readCodes(page)
    expect(renewed.filter((code) => codes.includes(code))).toEqual([])
  })

  it('that is locked, and few codes, say what to do', async () => {
    const page = await pageOf(ownerOn('pro'))
    const made = { created_at: '2026-11-20T10:00:00.000Z' }
    await changeAnswers(page, '**/api/auth/factors', (list) => ({
      ...list,
      data: [
        { ...made, id: 'tot_1', object: 'totp', last_used_at: null, locked: true },
        { ...made, id: 'recovery_codes', object: 'recovery_codes', left: 2 },
      ],
    }))
    const second_factor = { required: 'phishing_resistant', from: null, met: false }
    await changeAnswers<{ organisations: object[] }>(page, '**/api/auth/me', (user) => ({
      ...user,
      organisations: user.organisations.map((one) => ({ ...one, second_factor })),
    }))
    await open(page, '/app/account')
    await card(page).getByText('needs a passkey: an app alone is not enough there.').waitFor()
    await row(page, 'Authenticator app').getByText('replace the app').waitFor()
    await row(page, 'Recovery codes: 2 left').getByText('Make new ones.').waitFor()
  })
})

it('is set up by the keyboard alone on a phone, with no barrier and nothing cut off', async () => {
  const page = await openAccount({ width: 390 })
  await addAuthenticator(page)
  await button(page, 'Add a passkey').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Name', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await codesDialog(page).waitFor()
  expect(await barriersOf({ context: page.context(), page })).toEqual([])
  await button(page, 'I have saved them').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('The passkey is added')
  await beginApp(page)
  expect(await overflowOf(page)).toBe(0)
  expect(await barriersOf({ context: page.context(), page })).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})
