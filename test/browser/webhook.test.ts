// The webhook in the settings: its secret is shown once, what was sent is told, and what is refused says why.
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { pathsOf } from '../support/browser/acts.ts'
import { service } from '../support/browser/browser.ts'
import { ownOrganisation } from '../support/browser/people.ts'
import { open } from '../support/browser/pages.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const MessagesSchema = z.object({ messages: z.array(z.object({ path: z.string(), body: z.string() })) })

async function messagesTo(path: string): Promise<unknown[]> {
  const answer: unknown = await (await fetch(`${service.receiver}/messages`)).json()
  const { messages } = MessagesSchema.parse(answer)
  return messages
    .filter((message) => message.path === path)
    .map(({ body }) => (JSON.parse(body) as { type: unknown }).type)
}

const webhook = (page: Page) => page.getByRole('region', { name: 'Webhook', exact: true })

/** Sets it, and leaves its secret open. */
async function setTo(page: Page, path: string): Promise<string> {
  await webhook(page).getByLabel('Address').fill(`${service.receiver}${path}`)
  await webhook(page).getByRole('button', { name: 'Set the webhook' }).click()
  return secretShown(page)
}

const secretShown = async (page: Page): Promise<string> =>
  /whsec_\S+=/.exec((await page.getByRole('dialog', { name: 'The secret of the webhook' }).textContent()) ?? '')?.[0] ??
  ''

const store = (page: Page): Promise<void> => page.getByRole('button', { name: 'I have stored it' }).click()

describe('the webhook', () => {
  it('shows its secret once, and tells how a test ended', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=webhook')
    await webhook(page).getByRole('button', { name: 'Set the webhook' }).click()
    await webhook(page).getByText('Type the address.').waitFor()
    const path = `/${randomUUID()}`
    const secret = await setTo(page, path)
    expect(secret).toMatch(/^whsec_/)
    await expect.poll(() => webhook(page).getByText('No webhook is set').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true)
    await store(page)
    await webhook(page).getByRole('button', { name: 'Send a test' }).click()
    await webhook(page)
      .getByRole('row', { name: /webhook\.test.*taken.*the receiver took it/ })
      .waitFor()
    await expect.poll(() => messagesTo(path)).toEqual(['webhook.test'])
    await expect.poll(() => webhook(page).getByRole('heading', { level: 3 }).first().innerText()).toBe('Messages')

    // The events change without the address, which nobody sees again and nobody is asked for.
    await expect.poll(() => webhook(page).getByLabel('Address').count()).toBe(0)
    await webhook(page)
      .getByLabel(/a loop begins/)
      .uncheck()
    await webhook(page).getByRole('button', { name: 'Save the webhook' }).click()
    await page.getByText('The address and its secret are the same').waitFor()

    const kept = await page.evaluate('JSON.stringify([location.href, localStorage, sessionStorage, history.state])')
    expect(`${await page.content()}${String(kept)}`).not.toContain(secret)
    await expect.poll(() => page.content()).not.toContain(path)
  })

  it('has another secret once somebody makes one, and is off once it is removed', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=webhook')
    const first = await setTo(page, '/hooks')
    await store(page)
    await webhook(page).getByRole('button', { name: 'Make a new secret' }).click()
    const sent = pathsOf(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).dblclick()
    const second = await secretShown(page)
    expect(second).toMatch(/^whsec_/)
    expect(second).not.toBe(first)
    await store(page)
    await webhook(page).getByText('signs too until').waitFor()
    // Made twice, the one that the receiver still has would be gone.
    expect(sent.filter((path) => path.endsWith('/rotate'))).toHaveLength(1)

    await webhook(page).getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('A test is on its way.').waitFor()
    await webhook(page).getByRole('button', { name: 'Remove the webhook' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('The webhook was removed.').waitFor()
    await expect.poll(() => page.getByText('A test is on its way.').count(), { timeout: 1000 }).toBe(0)
    await webhook(page).getByText('No webhook is set').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('settings-webhook')
  })

  it('says that it was disabled, and why, where the receiver is gone', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=webhook')
    await setTo(page, '/status/410')
    await store(page)
    await webhook(page).getByRole('button', { name: 'Send a test' }).click()
    await webhook(page)
      .getByRole('row', { name: /webhook\.test.*(failed|given up).*refused it \(410\)/ })
      .waitFor()
    await webhook(page).getByText('it answered 410').waitFor()
  })

  it.each([
    ['https://10.0.0.1/hooks', 'Use a name, not an IP address.'],
    ['http://hooks.example.org/', 'Begin with https://.'],
    ['https://somebody:secret@hooks.example.org/', 'Leave out the user name and the password.'],
  ])('is refused at the address where that is %s', async (address, rule) => {
    const owner = service.owners['starter'] ?? service.filled.owner
    const page = await open(owner, '/app/settings?part=webhook', { provoked: refusedWith(400) })
    await webhook(page).getByLabel('Address').fill(address)
    await webhook(page).getByRole('button', { name: 'Set the webhook' }).click()
    const field = webhook(page).getByLabel('Address')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => field.inputValue()).toBe(address)
    await webhook(page).getByText(rule, { exact: true }).waitFor()
    await expect.poll(() => webhook(page).getByRole('alert').count()).toBe(0)
  })
})
