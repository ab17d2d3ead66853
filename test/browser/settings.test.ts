// The settings: who may change what, what is asked before something goes, and what is refused.
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { pathsOf, showRole } from '../support/browser/acts.ts'
import { pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { ask, ownOrganisation } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const starter = service.owners['starter'] ?? service.filled.owner

type Shown = { version: number; default_max_tokens: number; enabled_providers: string[]; name: string }

async function settingsOf(owner: Person): Promise<Shown> {
  const cookie = `__Host-session=${await sessionOf(owner)}`
  return (await (await fetch(`${service.origin}/api/settings`, { headers: { cookie } })).json()) as Shown
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe('the settings', () => {
  it('lead to the API keys, and nobody whose role has none', async () => {
    const { owner } = await ownOrganisation()
    const page = await pageOf(owner)
    const link = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API keys' })
    await open(page, '/app/settings')
    await link.click()
    await page.getByRole('button', { name: 'Create a key' }).first().waitFor()
    await showRole(page, 'clinician')
    await open(page, '/app/settings')
    await expect.poll(() => link.count()).toBe(0)
  })

  it('say where text goes before a choice of providers is saved, and save it', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings')
    const providers = section(page, 'Providers')
    await providers.getByRole('checkbox', { name: /Google/ }).check()
    await providers.getByText('text may go to OpenAI and Google and to nobody else', { exact: false }).waitFor()
    expect((await settingsOf(owner)).enabled_providers).toEqual(['openai'])
    await providers.getByRole('button', { name: 'Save' }).click()
    await providers.getByText('Saved', { exact: true }).waitFor()
    expect((await settingsOf(owner)).enabled_providers).toEqual(['openai', 'google'])
  })

  it('are not changed over somebody else’s change, and can be shown as they are by then', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings', { provoked: refusedWith(409) })
    await ask('PATCH', '/api/settings', { default_max_tokens: 4_321 }, await sessionOf(owner))
    const limits = section(page, 'Limits and budget')
    await limits.getByLabel('Monthly budget in euro').fill('50')
    await limits.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save it so' }).click()
    await limits.getByRole('alert').waitFor()
    await limits.getByRole('button', { name: 'Show the settings as they are now' }).click()
    await expect.poll(() => limits.getByLabel(/Tokens that a model may write/).inputValue()).toBe('4321')
    expect((await settingsOf(owner)).default_max_tokens).toBe(4_321)
  })

  it('say which member is wrong, and keep what was typed', async () => {
    const { owner, name } = await ownOrganisation()
    const page = await open(owner, '/app/settings', { provoked: refusedWith(400) })
    const organisation = section(page, 'Organisation')
    await organisation.getByLabel('Name').fill('  ')
    await organisation.getByRole('button', { name: 'Save' }).click()
    await organisation.getByRole('alert').waitFor()
    await expect.poll(() => organisation.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => organisation.getByLabel('Name').inputValue()).toBe('  ')
    expect((await settingsOf(owner)).name).toBe(name)
  })

  it('keep what was typed where the service cannot be reached', async () => {
    const page = await open(starter, '/app/settings')
    await page.route('**/api/settings', (route) => route.abort())
    const limits = section(page, 'Limits and budget')
    await limits.getByLabel(/Tokens that a model may write/).fill('999')
    await limits.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => limits.getByRole('alert').textContent()).toContain('could not be reached')
    await expect.poll(() => limits.getByLabel(/Tokens that a model may write/).inputValue()).toBe('999')
  })

  it('ask before details are kept for a shorter time, and say what goes when', async () => {
    const page = await pageOf(starter)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await open(page, '/app/settings')
    const retention = section(page, 'Retention')
    await retention.getByLabel('Days for which details of calls are kept').fill('30')
    await retention.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Keep details for a shorter time?' })
    const text = (await dialog.textContent()) ?? ''
    for (const words of [
      'go after 30 days in the place of 90',
      'nothing is deleted today',
      'six months',
      'Hashes stay',
    ]) {
      expect(text).toContain(words)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate('document.activeElement.closest("section")?.id + document.activeElement.textContent'))
      .toBe('retentionSave')
    expect(sent).not.toContain('PATCH')
  })

  it('can be read and not changed by an auditor', async () => {
    const page = await pageOf(service.filled.owner)
    await showRole(page, 'auditor')
    await open(page, '/app/settings')
    await page.getByText('you may look at the settings').waitFor()
    await expect
      .poll(() => section(page, 'Limits and budget').getByLabel('Monthly budget in euro').isDisabled())
      .toBe(true)
    await expect
      .poll(() => page.getByRole('button', { name: /Save|Set the webhook|Erase|Send a test/ }).count())
      .toBe(0)
    await page.getByText('Only an owner can have the organisation erased.').waitFor()
  })

  it('are not asked for, and no error, for a clinician, who may export', async () => {
    const page = await pageOf(service.filled.owner)
    const asked = pathsOf(page)
    await showRole(page, 'clinician')
    await open(page, '/app/settings')
    await page.getByRole('button', { name: 'Download the export' }).waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    expect(asked).not.toContain('/api/settings')
    await expect
      .poll(() => section(page, 'Export').getByRole('option').allTextContents())
      .toEqual([
        'everything: 4 sections',
        'account',
        'organisation',
        'approvals',
        'receipts',
        'JSON',
        'CSV, for a spreadsheet',
      ])
  })

  it('open at the section that the address names, with the focus there', async () => {
    const page = await open(starter, '/app/settings#webhook')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('webhook')
    await expect
      .poll(() => page.evaluate('Math.abs(document.querySelector("#webhook").getBoundingClientRect().top) < 120'))
      .toBe(true)
    // On paper there are no sections to choose from, and no column for them.
    await page.emulateMedia({ media: 'print' })
    await expect
      .poll(() => page.evaluate("document.querySelector('#export').clientWidth / innerWidth"))
      .toBeGreaterThan(0.8)
  })

  it('ask whoever leaves with something that is not saved, and nobody else', async () => {
    const page = await pageOf(starter)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await open(page, '/app/settings')
    const name = section(page, 'Organisation').getByLabel('Name')
    const before = await name.inputValue()
    const notSaved = section(page, 'Organisation').getByText('Not saved yet')
    await name.fill('Another name')
    await notSaved.waitFor()
    await name.fill(before)
    await notSaved.waitFor({ state: 'detached' })
    await page.reload()
    await settled(page)
    expect(asked).toEqual([])
    await name.fill('Another name')
    await notSaved.waitFor()
    await page.reload()
    await expect.poll(() => asked).toEqual(['beforeunload'])
  })

  it('are saved all the same where the session ended meanwhile, once the person has signed in again', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings', { provoked: refusedWith(401) })
    await section(page, 'Organisation').getByLabel('Name').fill('Typed before it ended')
    await page.context().clearCookies()
    await section(page, 'Organisation').getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByText('Your session is over.', { exact: false }).waitFor()
    await dialog.getByLabel(/Password/).fill(owner.password)
    await dialog.getByRole('button', { name: 'Sign in and go on' }).click()
    await section(page, 'Organisation').getByText('Saved', { exact: true }).waitFor()
    expect((await settingsOf(owner)).name).toBe('Typed before it ended')
  })

  it('go by the name that was just saved, in the frame and where it has to be typed', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings')
    const name = 'The  practice <img src=x onerror=noteFault()>'
    await section(page, 'Organisation').getByLabel('Name').fill(name)
    await section(page, 'Organisation').getByRole('button', { name: 'Save' }).click()
    await page.locator('#organisation-name').getByText('<img', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Erase the organisation' }).click()
    const dialog = page.getByRole('dialog')
    // As it is seen: nobody sees two blanks.
    await dialog.getByRole('textbox').fill(name.replace('  ', ' '))
    await dialog.getByRole('button', { name: 'Erase it in seven days' }).click()
    await page.getByRole('region', { name: 'The organisation will be erased' }).waitFor()
  })

  it('keep content only once that is chosen, and erase all of it once the name is typed', async () => {
    const { owner, name } = await ownOrganisation()
    const page = await open(owner, '/app/settings')
    const content = section(page, 'Content logging')
    await content.getByText('not kept', { exact: true }).waitFor()
    await content.getByRole('checkbox').check()
    await content.getByLabel('Days for which it is kept').fill('3')
    await content.getByRole('button', { name: 'Save' }).click()
    await content.getByText('kept for 3 days', { exact: true }).waitFor()

    await content.getByRole('button', { name: 'Erase all content' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase all content' })
    const erase = dialog.getByRole('button', { name: 'Erase all content now' })
    await dialog.getByRole('textbox').fill(`${name}x`)
    await erase.click({ force: true })
    await expect.poll(() => erase.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByRole('textbox').fill(name)
    await erase.click()
    await content.getByText('All content is erased', { exact: false }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })
})
