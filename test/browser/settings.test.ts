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

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const list = (page: Page) => page.getByRole('navigation', { name: 'Settings' })

const bar = (page: Page) => page.getByRole('region', { name: 'Changes of the settings' })

const save = (page: Page) => bar(page).getByRole('button', { name: 'Save changes' }).click()

const openPage = (page: Page, name: string) => list(page).getByRole('link', { name }).click()

const focusedId = (page: Page) => page.evaluate('document.activeElement.id')

describe('the settings', () => {
  it('are saved once for the changes of all parts, which the bar names and compares', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=limits')
    const patches: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && patches.push(request.postData() ?? ''))
    await expect.poll(() => bar(page).count()).toBe(0)
    await page.getByLabel('Default max output tokens').fill('4096')
    await part(page, 'Providers').getByRole('switch', { name: 'Google' }).check()
    await part(page, 'Providers')
      .getByText('to OpenAI and Google and to nobody else. It may be routed to any country, because Google chooses.')
      .waitFor()
    await openPage(page, 'Data')
    await list(page).getByRole('link', { name: 'Calls Changed' }).click()
    await bar(page).getByText('2 changes').waitFor()
    await bar(page).getByText('Providers, Default max output tokens').waitFor()
    await bar(page).getByRole('button', { name: 'Compare' }).click()
    await expect
      .poll(() => bar(page).locator('dd').allTextContents())
      .toEqual(['OpenAI → OpenAI and Google', '16,384 tokens → 4,096 tokens'])
    // Once the parts are drawn again: the focus goes to one of them.
    await part(page, 'Providers').getByRole('switch', { name: 'Google' }).waitFor()
    await save(page)
    await bar(page).waitFor({ state: 'detached' })
    await page.getByText('Version 2 of the settings. Each change is an entry of your log.').waitFor()
    expect(patches.map((body) => JSON.parse(body) as object)).toEqual([
      { default_max_tokens: 4096, enabled_providers: ['openai', 'google'], if_version: 1 },
    ])
    expect((await settingsOf(owner)).enabled_providers).toEqual(['openai', 'google'])
    await expect.poll(() => focusedId(page)).toBe('settings-providers')
  })

  it('are not changed over somebody else’s change: what was typed stays, and is saved after a look', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=limits', { provoked: refusedWith(409) })
    await page.getByLabel('Default max output tokens').fill('999')
    await ask(
      'PATCH',
      '/api/settings',
      { default_max_tokens: 4_321, name: 'Renamed meanwhile' },
      await sessionOf(owner),
    )
    await save(page)
    const told = bar(page).getByRole('alert')
    await expect.poll(() => told.textContent()).toContain('They changed: Name and Default max output tokens')
    await bar(page).getByText('4,321 tokens → 999 tokens').waitFor()
    await expect.poll(() => page.getByLabel('Default max output tokens').inputValue()).toBe('999')
    expect((await settingsOf(owner)).default_max_tokens).toBe(4_321)
    await save(page)
    await bar(page).waitFor({ state: 'detached' })
    expect(await settingsOf(owner)).toMatchObject({ default_max_tokens: 999, name: 'Renamed meanwhile' })
  })

  it('lead from a refusal to the part and the field with the fault, and keep what was typed', async () => {
    const { owner, name } = await ownOrganisation()
    const page = await open(owner, '/app/settings', { provoked: refusedWith(400) })
    await part(page, 'Organisation').getByLabel('Name').fill('  ')
    await openPage(page, 'Calls')
    await save(page)
    await expect.poll(() => bar(page).getByRole('alert').textContent()).toMatch(/^\s*Name: /)
    const field = part(page, 'Organisation').getByLabel('Name')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.locator('#settings-organisation [aria-invalid]:focus').count()).toBe(1)
    await expect.poll(() => field.inputValue()).toBe('  ')
    expect((await settingsOf(owner)).name).toBe(name)
    await bar(page).getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => field.inputValue()).toBe(name)
  })

  it('require a second factor of members from a day, and say why not of somebody without one', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=second-factor', { provoked: refusedWith(409) })
    const link = part(page, 'Second factor').getByRole('link', { name: 'see who' })
    await expect.poll(() => link.getAttribute('href')).toBe('/app/members?second_factor=none')
    await page.getByLabel('Require a second factor').selectOption('Passkeys only')
    await page.getByLabel('Required from').fill('2026-01-01')
    await save(page)
    await bar(page).getByRole('alert').getByText('Your own session does not meet this requirement.').waitFor()
    await expect.poll(() => page.getByLabel('Required from').inputValue()).toBe('2026-01-01')
  })

  it('keep what was typed where the service cannot be reached', async () => {
    const page = await open(starter, '/app/settings?part=limits')
    await page.route('**/api/settings', (route) => route.abort())
    const budget = page.getByLabel('Monthly budget')
    await budget.fill('-3')
    await save(page)
    await budget.and(page.locator(':focus')).waitFor()
    await expect.poll(() => page.getByText('More is used already').count()).toBe(0)
    await bar(page).getByRole('button', { name: 'Discard' }).click()
    const tokens = page.getByLabel('Default max output tokens')
    await tokens.fill('999')
    await save(page)
    await expect.poll(() => bar(page).getByRole('alert').textContent()).toContain('could not be reached')
    await expect.poll(() => tokens.inputValue()).toBe('999')
  })

  it('ask once about all that is narrowed, before anything is sent', async () => {
    const page = await pageOf(starter)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await open(page, '/app/settings?part=retention')
    await page.getByLabel('Keep details for').fill('30')
    await page.getByRole('note').getByText('stored for 30 days. AI Act 19(1) and 26(6)').waitFor()
    await openPage(page, 'Calls')
    await page.getByLabel('Monthly budget').fill('0')
    await save(page)
    const dialog = page.getByRole('dialog', { name: 'Save 2 changes?' })
    const text = (await dialog.textContent()) ?? ''
    for (const words of [
      'Set a lower budget',
      'Keep details for a shorter time',
      'go after 30 days in the place of 90',
      'nothing is deleted today',
      'AI Act 19(1) and 26(6)',
      'Hashes stay',
    ]) {
      expect(text).toContain(words)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Save changes')
    expect(sent).not.toContain('PATCH')
  })

  it('can be read and not changed by an auditor, as text without fields', async () => {
    const page = await pageOf(service.filled.owner)
    await showRole(page, 'auditor')
    await open(page, '/app/settings?part=limits')
    await page.getByText('Owners and admins make them.').waitFor()
    await part(page, 'Budget and limits').getByText('Default max output tokens').waitFor()
    for (const name of ['Data', 'Webhook', 'Calls', 'Organisation']) {
      await openPage(page, name)
      await settled(page)
      await expect.poll(() => page.locator('#island section :is(input, select, [role=switch])').count()).toBe(0)
      await expect
        .poll(() => page.getByRole('button', { name: /Save|Set the webhook|Erase|Send a test/ }).count())
        .toBe(0)
    }
    // A day without a duty would read as if one began then.
    await expect.poll(() => part(page, 'Second factor').innerText()).not.toContain('from')
    await page.getByText('What goes when, and how to ask for it').click()
    await page.getByText('Only an owner can have the organisation erased.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /Erase/ }).count()).toBe(0)
  })

  it('are not asked for, and no error, for a clinician, who may export', async () => {
    const page = await pageOf(service.filled.owner)
    const asked = pathsOf(page)
    await showRole(page, 'clinician')
    await open(page, '/app/settings')
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await expect.poll(() => list(page).getByRole('link').allTextContents()).toEqual(['Organisation'])
    expect(asked.filter((path) => /settings$|notifications/.test(path) && path.startsWith('/api'))).toEqual([])
    await page.getByRole('link', { name: 'exported' }).click()
    await page.getByRole('button', { name: 'Make the export' }).waitFor()
  })

  it('open at the part that an address names, with the focus there, and at the top by their list', async () => {
    const page = await open(starter, '/app/settings#loops')
    await expect.poll(() => focusedId(page)).toBe('settings-loops')
    expect(new URL(page.url()).search + new URL(page.url()).hash).toBe('?part=loops')
    await open(page, '/app/settings?part=content')
    await expect.poll(() => focusedId(page)).toBe('settings-content')
    await openPage(page, 'Webhook')
    await expect.poll(() => page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    await expect.poll(() => focusedId(page)).toBe('settings-content')
    // On paper there are no pages to choose from, and no column for them.
    await page.emulateMedia({ media: 'print' })
    await expect
      .poll(() => page.evaluate("document.querySelector('#settings-content').clientWidth / innerWidth"))
      .toBeGreaterThan(0.8)
  })

  it('ask for the costs of the month only where the tier has analytics', async () => {
    const { owner } = await ownOrganisation()
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await open(page, '/app/settings?part=limits')
    await part(page, 'Budget and limits').getByText('Set by your tier').waitFor()
    expect(asked.filter((path) => path.startsWith('/api/analytics'))).toEqual([])
  })

  it('ask whoever leaves with something that is not saved, and nobody else', async () => {
    const page = await pageOf(starter)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await open(page, '/app/settings')
    const name = part(page, 'Organisation').getByLabel('Name')
    const before = await name.inputValue()
    await name.fill('Another name')
    await bar(page).waitFor()
    await name.fill(before)
    await bar(page).waitFor({ state: 'detached' })
    await page.reload()
    await settled(page)
    expect(asked).toEqual([])
    await name.fill('Another name')
    await bar(page).waitFor()
    await page.reload()
    await expect.poll(() => asked).toEqual(['beforeunload'])
  })

  it('are saved all the same where the session ended meanwhile, once the person has signed in again', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings', { provoked: refusedWith(401) })
    await part(page, 'Organisation').getByLabel('Name').fill('Typed before it ended')
    await page.context().clearCookies()
    await save(page)
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByText('Your session is over.', { exact: false }).waitFor()
    await dialog.getByLabel(/Password/).fill(owner.password)
    await dialog.getByRole('button', { name: 'Sign in and go on' }).click()
    await bar(page).waitFor({ state: 'detached' })
    expect((await settingsOf(owner)).name).toBe('Typed before it ended')
  })

  it('go by the name that was just saved, in the frame and where it has to be typed', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, '/app/settings')
    const name = 'The  practice <img src=x onerror=noteFault()>'
    await part(page, 'Organisation').getByLabel('Name').fill(name)
    await save(page)
    await page.locator('#organisation').getByText('<img', { exact: false }).waitFor()
    await page.getByText('What goes when, and how to ask for it').click()
    // As it is seen: nobody sees two blanks.
    await page.getByLabel('Type the organisation’s name').fill(name.replace('  ', ' '))
    await page.getByRole('button', { name: 'Erase organisation in 7 days' }).click()
    await page.getByRole('region', { name: 'The organisation will be erased' }).waitFor()
  })

  it('keep content only once that is chosen, and erase all of it once the name is typed', async () => {
    const { owner, name } = await ownOrganisation()
    const page = await open(owner, '/app/settings?part=content')
    const content = part(page, 'Content')
    await page.getByRole('row', { name: /^Prompts and answers Not kept/ }).waitFor()
    await content.getByRole('switch').check()
    await content.getByLabel('Kept for').fill('3')
    await save(page)
    await page.getByRole('row', { name: /^Prompts and answers 3 days/ }).waitFor()

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
