// The page of the policy: a form and the JSON of the same document, a try on past calls, putting it in force, and its history.
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { findWords } from '../../src/policies/rules/words.ts'
import { abortFirst, changeAnswers, pathsOf, showRole } from '../support/browser/acts.ts'
import { origin, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask, keyOf, ownOrganisationOn } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const { starter } = service.owners
if (starter === undefined) throw new Error('nobody owns an organisation of this tier')

/** No rule of these stops a call of another test. */
const BEFORE = { model_allowlist: { by_use_case: { letters: ['gpt-4.1-mini'] } }, high_risk_use_cases: ['letters'] }

type Shown = { version: number; document: Record<string, unknown> }

async function inForce(put?: object, person: Person | undefined = starter): Promise<Shown> {
  const session = await sessionOf(person ?? service.filled.owner)
  if (put !== undefined) await ask('PUT', '/api/policies', put, session)
  return await ask<Shown>('GET', '/api/policies', undefined, session)
}

beforeEach(async () => void (await inForce(BEFORE)))
afterAll(async () => void (await inForce({})))

/** An organisation of its own whose calls may wait for people. */
async function organisationOnPro(): Promise<{ owner: Person; key: string }> {
  const organisation = await ownOrganisationOn('pro')
  return { owner: organisation.owner, key: await keyOf(organisation) }
}

const rule = (page: Page, title: string) => page.getByRole('button', { name: new RegExp(`^\\w+ ?: ${title}`) })
const openRule = (page: Page, title: string): Promise<void> => rule(page, title).click()
const enforce = (page: Page, title: string) => page.getByRole('switch', { name: `Enforce ${title}` })
const dock = (page: Page) => page.getByRole('region', { name: 'Changes of the policy' })
const dialog = (page: Page) => page.getByRole('dialog')
const openDialog = (page: Page): Promise<void> => dock(page).getByRole('button', { name: 'Put in force' }).click()
const confirm = (page: Page): Promise<void> => dialog(page).getByRole('button', { name: 'Put in force' }).click()
const written = (page: Page) => page.getByLabel('The policy as JSON')
const view = (page: Page, name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click()

async function documentOf(page: Page): Promise<unknown> {
  await view(page, 'As JSON')
  return JSON.parse(await written(page).inputValue())
}

async function call(key: string, useCase?: string): Promise<number> {
  const { status } = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(useCase !== undefined && { 'x-aqta-use-case': useCase }),
    },
    body: JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `Hello ${randomUUID()}` }] }),
  })
  return status
}

describe('the form', () => {
  it('says what each rule does, and puts chosen models, amounts and times in force after a dialog', async () => {
    const page = await open(starter, '/app/policies')
    await expect.poll(() => rule(page, 'Models allowed').textContent()).toContain('Every model; fewer for 1 use case')
    await expect.poll(() => rule(page, 'Budgets').textContent()).toContain('Off')
    await openRule(page, 'Budgets')
    await enforce(page, 'Budgets').check()
    // As people type: character by character, over `1.`, which is no number.
    await page.getByLabel('A month, all keys').pressSequentially('1.05')
    await page.getByLabel('Notify at').fill('50, 80')
    await openRule(page, 'Models allowed')
    await page.getByLabel('Add a model: Models for every call').selectOption('gpt-4.1-mini')
    await openRule(page, 'Stored answers')
    await enforce(page, 'Stored answers').check()
    await page.getByLabel('An answer is given again for', { exact: true }).fill('4')
    await openRule(page, 'High-risk use cases')
    await page.getByLabel('Add a use case: High-risk use cases').fill('triage')
    await page.keyboard.press('Enter')
    await dock(page).getByText('4 changes').waitFor()
    await openDialog(page)
    await expect
      .poll(() => dialog(page).locator('dd').allTextContents())
      .toEqual([
        'Now enforced: €1.05 a month for all keys',
        'Now enforced: Given again for 4 hours',
        'triage is added',
        'Models for every call: a list now. gpt-4.1-mini is added',
      ])
    const { version } = await inForce()
    await dialog(page).getByLabel('Reason').fill('The ward asked for it.')
    await confirm(page)
    await page.getByText(`Version ${version + 1} is in force.`).waitFor()
    await page.getByText('details of new calls are stored for 90 days').waitFor()
    expect((await inForce()).document).toEqual({
      model_allowlist: { ...BEFORE.model_allowlist, models: ['gpt-4.1-mini'] },
      budget_guard: { month_eur: 1.05, alert_percent: [50, 80] },
      cache: { ttl_seconds: 4 * 3600 },
      high_risk_use_cases: ['letters', 'triage'],
    })
    await open(page, '/app/policies?view=history')
    await page.getByText('The ward asked for it.').waitFor()
  })

  it('crosses out what was removed, and gives it back, as it does with a rule that is off for a while', async () => {
    const page = await open(starter, '/app/policies')
    await openRule(page, 'High-risk use cases')
    await page.getByRole('button', { name: 'Remove letters' }).click()
    await expect.poll(() => page.locator('del').allTextContents()).toEqual(['letters'])
    await page.getByRole('button', { name: 'Undo the changes of High-risk use cases' }).click()
    await openRule(page, 'Models allowed')
    await enforce(page, 'Models allowed').uncheck()
    await dock(page).getByText('1 change').waitFor()
    await enforce(page, 'Models allowed').check()
    await expect.poll(() => dock(page).count()).toBe(0)
  })

  it('says what is written that it has no place for, and that an empty list is no missing one', async () => {
    const page = await open(starter, '/app/policies?view=json')
    const keys = { key_1: { month_eur: 2 } }
    await written(page).fill(JSON.stringify({ model_allowlist: { models: [] }, budget_guard: { keys }, of_mine: {} }))
    await view(page, 'As a form')
    await page.getByText('Also set, in the JSON, and kept: of_mine').waitFor()
    await openRule(page, 'Budgets')
    await page.getByText('Also set, in the JSON, and kept: keys').waitFor()
    await openRule(page, 'Models allowed')
    await page.getByText('a list here that is empty: nothing passes it').waitFor()
    await page.getByRole('button', { name: 'Remove the list' }).click()
    expect(await documentOf(page)).toEqual({ model_allowlist: {}, budget_guard: { keys }, of_mine: {} })
  })

  it('gives single identifiers an action of their own, which can be taken away again', async () => {
    const page = await open(starter, '/app/policies')
    await openRule(page, 'Personal identifiers')
    await enforce(page, 'Personal identifiers').check()
    await page.getByText('Names and postal addresses of people are not found').waitFor()
    const add = page.getByLabel('Add an exception: Exceptions')
    await add.selectOption({ label: 'PPS number' })
    await add.selectOption({ label: 'IBAN' })
    const rows = page.getByRole('table', { name: 'Exceptions' }).getByRole('rowheader')
    await expect.poll(() => rows.allTextContents()).toEqual(['PPS number', 'IBAN'])
    await page.getByLabel('IBAN', { exact: true }).selectOption('redact')
    await expect.poll(() => add.locator('option', { hasText: 'IBAN' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove the exception PPS number' }).click()
    await page.getByRole('row', { name: 'IBAN Replaced Not searched', exact: true }).waitFor()
    expect(await documentOf(page)).toEqual({ ...BEFORE, pii_scan: { default: 'report', shapes: { iban: 'redact' } } })
  })

  it('searches answers if it is asked to, with actions of their own', async () => {
    const page = await open(starter, '/app/policies')
    await openRule(page, 'Personal identifiers')
    await enforce(page, 'Personal identifiers').check()
    await page.getByText('Answers are not searched.', { exact: true }).waitFor()
    await page.getByLabel('Search answers').check()
    await page.getByLabel('Every identifier in answers but the exceptions').selectOption('redact')
    await page.getByLabel('Add an exception: Exceptions in answers').selectOption({ label: 'IBAN' })
    const answers = { default: 'redact', shapes: { iban: 'block' } }
    expect(await documentOf(page)).toEqual({ ...BEFORE, pii_scan: { default: 'report', answers } })
    await view(page, 'As a form')
    await expect
      .poll(() => rule(page, 'Personal identifiers').textContent())
      .toContain('in answers: taken out where found; answer stopped: IBAN')
    await openRule(page, 'Personal identifiers')
    await page.getByLabel('Search answers').uncheck()
    expect(await documentOf(page)).toEqual({ ...BEFORE, pii_scan: { default: 'report' } })
  })

  it('shows what the service refuses at the member that is wrong, keeps what was written, and nothing is changed', async () => {
    const page = await open(starter, '/app/policies', { provoked: refusedWith(400) })
    await openRule(page, 'Budgets')
    await enforce(page, 'Budgets').check()
    const day = page.getByLabel('A day, all keys')
    await day.fill('1.1234567')
    await openRule(page, 'Rate limits')
    await openDialog(page)
    await confirm(page)
    await dialog(page).getByRole('alert').first().waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => day.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => day.inputValue()).toBe('1.1234567')
    expect((await inForce()).document).toEqual(BEFORE)
  })

  it('has the approval of people locked in a tier without it, with the tiers that have it', async () => {
    const page = await open(starter, '/app/policies')
    await expect.poll(() => rule(page, 'Approval by people').textContent()).toMatch(/Locked.*With the tiers Pro,/)
    await openRule(page, 'Approval by people')
    await page.getByText('A person decides before the text is sent: from the Pro tier on').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Ask for Pro' }).count()).toBe(1)
    await expect.poll(() => enforce(page, 'Approval by people').count()).toBe(0)
  })
})

describe('the JSON', () => {
  it('that cannot be read stays as it is, and is not sent', async () => {
    const page = await open(starter, '/app/policies?view=json')
    await written(page).fill('{"cache": {"ttl_seconds": 60}, "cache": {}}')
    await page.getByText('The JSON cannot be read: An object in it names the same member twice.').waitFor()
    await dock(page).getByRole('button', { name: 'Put in force' }).click({ force: true })
    await expect.poll(() => dialog(page).count()).toBe(0)
    await expect.poll(() => written(page).inputValue()).toBe('{"cache": {"ttl_seconds": 60}, "cache": {}}')
  })

  it('is shown as text, whatever it says', async () => {
    const page = await open(starter, '/app/policies?view=json', { provoked: refusedWith(400) })
    await written(page).fill(JSON.stringify({ '<img src=x onerror=alert(1)>': '<script>alert(1)</script>' }))
    await page.getByRole('region', { name: 'What changes' }).getByText('Set to "<script>alert(1)').waitFor()
    await openDialog(page)
    await confirm(page)
    await dialog(page).getByRole('alert').first().waitFor()
    await expect.poll(() => page.locator('main img').count()).toBe(0)
  })
})

describe('a policy that was changed meanwhile', () => {
  it('is not overwritten: what is written is compared with it first', async () => {
    const page = await open(starter, '/app/policies?view=json', { provoked: refusedWith(409) })
    await written(page).fill(JSON.stringify({ ...BEFORE, cache: { ttl_seconds: 60 } }))
    const { version } = await inForce({ ...BEFORE, cache: { ttl_seconds: 120 } })
    await openDialog(page)
    await confirm(page)
    await dialog(page).getByText('The policy was changed in the meantime').waitFor()
    // Read again in vain, what is written stays.
    await abortFirst(page, '**/api/policies')
    await dialog(page).getByRole('button', { name: 'Compare with what is in force now' }).click()
    await page.getByText('could not be reached').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('An answer is given again for: 1 minute, 2 minutes before').waitFor()
    await openDialog(page)
    await confirm(page)
    await page.getByText(`Version ${version + 1} is in force.`).waitFor()
  })
})

describe('past calls', () => {
  it('are tried without changing anything, grouped by why they would end differently, and not counted by a rule that cannot be tried', async () => {
    expect(await call(starter.key)).toBe(200)
    const page = await pageOf(starter)
    const { version } = await inForce()
    await open(page, '/app/policies')
    await openRule(page, 'Use cases')
    await enforce(page, 'Use cases').check()
    const acts = dock(page).getByRole('button', { name: /Try|Put/ })
    await expect.poll(() => acts.allTextContents()).toEqual(['Try on last 200 calls', 'Put in force'])
    await dock(page).getByRole('button', { name: /Try/ }).click()
    await dock(page)
      .getByText(/of the last \d+ calls? would end differently$/)
      .waitFor()
    const looks = () =>
      page.evaluate("[...document.querySelectorAll('#tried .split rect')].map((part) => getComputedStyle(part).fill)")
    await expect.poll(async () => new Set((await looks()) as string[]).size).toBe(3)
    const group = page.getByRole('row', { name: /No use case declared/ })
    await expect.poll(() => group.textContent()).toContain('PassedBlocked')
    await group.getByRole('button').click()
    await page.getByRole('region', { name: 'No use case declared' }).getByText('none declared').first().waitFor()
    expect((await inForce()).version).toBe(version)

    await openRule(page, 'Loops')
    await enforce(page, 'Loops').check()
    await expect.poll(() => page.getByText(/would end differently|Result of the trial/).count()).toBe(0)
    await dock(page).getByRole('button', { name: /Try/ }).click()
    await dock(page)
      .getByRole('link', { name: /^By the other rules, \d+ of the last/ })
      .waitFor()
    await dock(page).getByText('Loops cannot be tried on past calls.').waitFor()

    await openRule(page, 'Use cases')
    await enforce(page, 'Use cases').uncheck()
    await expect.poll(() => dock(page).getByRole('button', { name: /Try/ }).isDisabled()).toBe(true)
    const asked = pathsOf(page)
    await openDialog(page)
    await dialog(page).getByText('Loops cannot be tried on past calls.').waitFor()
    expect(asked).not.toContain('/api/policies/simulate')
  })

  it('are tried before the button of the dialog can be pressed, since it moves then, and their answers are not known', async () => {
    const page = await pageOf(starter)
    const tried = Promise.withResolvers<void>()
    await page.route('**/api/policies/simulate', (route) => tried.promise.then(() => route.continue()))
    await open(page, '/app/policies?view=json')
    await written(page).fill(JSON.stringify({ pii_scan: { default: 'report', answers: { default: 'block' } } }))
    await openDialog(page)
    const button = dialog(page).getByRole('button', { name: 'Put in force' })
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    tried.resolve()
    await expect.poll(() => button.getAttribute('aria-disabled')).not.toBe('true')
    await dialog(page).getByText('It is not known which answers would be changed or stopped').waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dock(page).getByRole('button', { name: /Try/ }).click()
    await dock(page).getByRole('link', { name: 'would end differently, answers not known' }).waitFor()
    await changeAnswers(page, '**/api/policies/simulate', (found) => ({ ...found, answers_not_known: true }))
    await written(page).fill(JSON.stringify({ model_allowlist: { models: ['gpt-4.1-mini'] } }))
    await dock(page).getByRole('button', { name: /Try/ }).click()
    await dock(page)
      .getByText(/would end differently$/)
      .waitFor()
  })

  it('and the acts are in sight wherever the page is scrolled to, on a phone too', async () => {
    const page = await pageOf(starter)
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, '/app/policies')
    await openRule(page, 'High-risk use cases')
    await page.getByRole('button', { name: 'Remove letters' }).click()
    const acts = dock(page).getByRole('button', { name: /^(Discard|Put in force)$/ })
    for (const top of [0, 400, 10_000]) {
      await page.evaluate(`scrollTo(0, ${top})`)
      const boxes = await Promise.all((await acts.all()).map((act) => act.boundingBox()))
      expect(boxes.map((box) => box !== null && box.y > 0 && box.y + box.height <= 844)).toEqual([true, true])
    }
  })
})

describe('requests that wait', () => {
  const LETTERS = { human_approval: { when: [{ use_cases: ['letters'] }] } }

  it('are named before a change withdraws them, and it is not sent without the tick', async () => {
    const { owner, key } = await organisationOnPro()
    await inForce(LETTERS, owner)
    expect(await call(key, 'letters')).toBe(403)
    const { version } = await inForce(undefined, owner)
    const page = await open(owner, '/app/policies')
    await openRule(page, 'Approval by people')
    await page.getByLabel('A request expires after', { exact: true }).fill('4')
    await dock(page).getByText('Withdraws 1 request').waitFor()
    await openDialog(page)
    await expect.poll(() => dialog(page).innerText()).toMatch(/gpt-4.1-mini for letters[^]*Ask somebody else to decide/)
    await dialog(page).getByRole('button', { name: 'Put in force' }).click({ force: true })
    expect((await inForce(undefined, owner)).version).toBe(version)
    await dialog(page).getByLabel('Withdraw this request').check()
    await confirm(page)
    await page.getByText('1 request was withdrawn.').waitFor()
    expect((await inForce(undefined, owner)).version).toBe(version + 1)
  })

  it('and came while the dialog was open are not withdrawn: it shows them, and asks again', async () => {
    const { owner, key } = await organisationOnPro()
    await inForce(LETTERS, owner)
    expect(await call(key, 'letters')).toBe(403)
    const { version } = await inForce(undefined, owner)
    const page = await open(await pageOf(owner, { provoked: refusedWith(409) }), '/app/policies')
    await openRule(page, 'Approval by people')
    await enforce(page, 'Approval by people').uncheck()
    await openDialog(page)
    const tick = dialog(page).getByRole('checkbox')
    await dialog(page).getByLabel('Withdraw this request').check()
    expect(await call(key, 'letters')).toBe(403)
    await confirm(page)
    await dialog(page).getByText('Other requests wait now than before.').waitFor()
    await expect.poll(() => dialog(page).getByText('gpt-4.1-mini for letters').count()).toBe(2)
    await expect.poll(() => tick.isChecked()).toBe(false)
    await expect.poll(() => dock(page).textContent()).toContain('Withdraws 2')
    expect((await inForce(undefined, owner)).version).toBe(version)
    await dialog(page).getByLabel('Withdraw these 2 requests').check()
    await confirm(page)
    await page.getByText('2 requests were withdrawn.').waitFor()
    expect((await inForce(undefined, owner)).document).toEqual({})
  })

  it('and were withdrawn by another person’s change are not counted any more', async () => {
    const { owner, key } = await organisationOnPro()
    await inForce(LETTERS, owner)
    expect(await call(key, 'letters')).toBe(403)
    const page = await open(await pageOf(owner, { provoked: refusedWith(409) }), '/app/policies')
    await openRule(page, 'Approval by people')
    await enforce(page, 'Approval by people').uncheck()
    await dock(page).getByText('Withdraws 1').waitFor()
    await openDialog(page)
    await dialog(page).getByLabel('Withdraw this request').check()
    await inForce({ ...LETTERS, cache: { ttl_seconds: 60 }, withdraw_waiting: true }, owner)
    await confirm(page)
    await dialog(page).getByText('The policy was changed in the meantime').waitFor()
    await expect.poll(() => dock(page).textContent()).not.toContain('Withdraws')
  })

  it('and are not on the list are told by the refusal, which asks for the tick', async () => {
    const { owner, key } = await organisationOnPro()
    await inForce(LETTERS, owner)
    expect(await call(key, 'letters')).toBe(403)
    const page = await pageOf(owner, { provoked: refusedWith(409) })
    await changeAnswers(page, /\/api\/approvals/, (list) => ({ ...list, data: [] }))
    await open(page, '/app/policies')
    await openRule(page, 'Approval by people')
    await enforce(page, 'Approval by people').uncheck()
    await openDialog(page)
    await confirm(page)
    await dialog(page).getByRole('alert').getByText('would withdraw it').waitFor()
    await dialog(page).getByLabel('Withdraw them').check()
    await confirm(page)
    await page.getByText('is in force.').first().waitFor()
    await expect.poll(async () => (await inForce(undefined, owner)).document).toEqual({})
  })
})

describe('the history', () => {
  it('tells each version by name and change, and puts one back as a new version', async () => {
    const { version } = await inForce({ cache: { ttl_seconds: 60 } })
    const page = await open(starter, '/app/policies?view=history')
    const row = page.getByRole('row', { name: `Version ${version} ` })
    await expect.poll(() => row.textContent()).toMatch(/In force.*Stored answers: Now enforced/)
    await page.getByRole('button', { name: `Put back version ${version - 1}`, exact: true }).click()
    await dialog(page)
      .getByText(`This makes version ${version + 1}, with the rules of version ${version - 1}.`)
      .waitFor()
    expect((await inForce()).version).toBe(version)
    await confirm(page)
    await page.getByText(`Version ${version + 1} is in force.`).waitFor()
    expect((await inForce()).document).toEqual(BEFORE)
    await page.getByRole('button', { name: `Put version ${version} back` }).click()
    await confirm(page)
    await page.getByText(`Version ${version + 2} is in force.`).waitFor()
    for (const lost of Object.keys(BEFORE)) {
      const words = new RegExp(`${findWords(lost)?.name}: Not (enforced|set) any more`)
      await page.getByText(words).first().waitFor()
    }
    expect((await inForce()).document).toEqual({ cache: { ttl_seconds: 60 } })
  })
})

describe('a role', () => {
  it('that may only read changes nothing', async () => {
    const page = await pageOf(starter)
    await showRole(page, 'developer')
    await open(page, '/app/policies')
    await page.getByText('Your role may read the policy and not change it.').waitFor()
    await openRule(page, 'Models allowed')
    await expect.poll(() => enforce(page, 'Models allowed').isDisabled()).toBe(true)
    await view(page, 'As JSON')
    await expect.poll(() => written(page).isEditable()).toBe(false)
    await view(page, 'History')
    await page.getByRole('row').nth(1).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /put|^try/i }).count()).toBe(0)
  })
})
