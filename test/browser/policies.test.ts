// The page of the policy: a form and the JSON of the same document, what it changes, past calls to try it on, and its history.
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { abortFirst, showRole } from '../support/browser/acts.ts'
import { origin, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask } from '../support/browser/people.ts'

const { starter } = service.owners
if (starter === undefined) throw new Error('nobody owns an organisation of the tier starter')

/** The form has no place for `by_use_case`. No rule of these stops a call of another test. */
const BEFORE = { model_allowlist: { by_use_case: { letters: ['gpt-4.1-mini'] } }, high_risk_use_cases: ['letters'] }

type Shown = { version: number; document: Record<string, unknown> }

async function inForce(put?: object): Promise<Shown> {
  const session = await sessionOf(starter ?? service.filled.owner)
  if (put !== undefined) await ask('PUT', '/api/policies', put, session)
  return await ask<Shown>('GET', '/api/policies', undefined, session)
}

beforeEach(async () => void (await inForce(BEFORE)))
afterAll(async () => void (await inForce({})))

const written = (page: Page) => page.getByLabel('The policy as JSON')
const put = (page: Page): Promise<void> => page.getByRole('button', { name: 'Put it in force' }).click()
const apply = (page: Page, rule: string): Promise<void> => page.getByLabel(`Apply ${rule}`).check()
const changes = (page: Page): Promise<string[]> =>
  page.getByRole('region', { name: 'What it changes' }).getByRole('row').allTextContents()

describe('the form', () => {
  it('changes what was filled in, shows it before it is in force, and keeps what it has no place for', async () => {
    const page = await open(starter, '/app/policies')
    await apply(page, 'Budgets')
    // As people type: character by character, over `1.`, which is no number.
    await page.getByLabel('Euro a month, all keys').pressSequentially('1.05')
    await page.getByLabel('Notify at percent').fill('50, 80')
    await page.getByLabel('High-risk use cases, one a line').fill('letters\n\ntriage')
    await page.getByText('Also set, in the JSON, and kept: by_use_case').waitFor()
    await expect
      .poll(() => changes(page))
      .toEqual([
        'MemberChangeBeforeAfter',
        'budget_guardaddednot there{ "month_eur": 1.05, "alert_percent": [ 50, 80 ] }',
        'high_risk_use_caseschanged[ "letters" ][ "letters", "triage" ]',
      ])
    const { version } = await inForce()
    await put(page)
    await page.getByText(`Version ${version + 1} is in force.`).waitFor()
    expect((await inForce()).document).toEqual({
      ...BEFORE,
      budget_guard: { month_eur: 1.05, alert_percent: [50, 80] },
      high_risk_use_cases: ['letters', 'triage'],
    })

    await page.getByLabel('Apply Budgets').uncheck()
    await page.getByRole('link', { name: 'As JSON' }).click()
    expect(JSON.parse(await written(page).inputValue())).toEqual({
      ...BEFORE,
      high_risk_use_cases: ['letters', 'triage'],
    })
  })

  it('has what a rule said again where it is applied again', async () => {
    const page = await open(starter, '/app/policies')
    await page.getByLabel('Apply Models').uncheck()
    await page.getByRole('heading', { name: '1 change, not in force yet' }).waitFor()
    await apply(page, 'Models')
    await page.getByText('What is written is what is in force.').waitFor()
  })

  it('says what is written that it has no place for, and that an empty list is no missing one', async () => {
    const page = await open(starter, '/app/policies?view=json')
    const when = [{ keys: ['key_1'], use_cases: ['letters'] }]
    await written(page).fill(JSON.stringify({ model_allowlist: { models: [] }, human_approval: { when }, of_mine: {} }))
    await page.getByRole('link', { name: 'As a form' }).click()
    await page.getByText('Also set, in the JSON, and kept: keys').waitFor()
    await page.getByText('Also set, in the JSON, and kept: of_mine').waitFor()
    await page.getByText('a list here that is empty: nothing passes it').waitFor()
    await page.getByRole('button', { name: 'Take the list away' }).click()
    await page.getByLabel('Use cases', { exact: true }).pressSequentially('\ntriage')
    await page.getByRole('link', { name: 'As JSON' }).click()
    expect(JSON.parse(await written(page).inputValue())).toEqual({
      model_allowlist: {},
      human_approval: { when: [{ keys: ['key_1'], use_cases: ['letters', 'triage'] }] },
      of_mine: {},
    })
  })

  it('shows what the service refuses at the member that is wrong, and nothing is changed', async () => {
    const page = await open(starter, '/app/policies')
    await apply(page, 'Budgets')
    const day = page.getByLabel('Euro a day, all keys')
    await day.fill('1.1234567')
    await put(page)
    await page.getByRole('alert').waitFor()
    await expect.poll(() => day.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => day.inputValue()).toBe('1.1234567')
    expect((await inForce()).document).toEqual(BEFORE)
  })

  it('asks for the approval of people by cases, and says which tiers have it', async () => {
    const page = await open(starter, '/app/policies')
    await apply(page, 'Approval by people')
    await page.getByText('Case 1: every request').waitFor()
    await page.getByLabel('Use cases', { exact: true }).fill('letters')
    await page.getByText('Case 1: requests that fit all of this').waitFor()
    await page.getByText('Yours is starter: a policy with this rule is refused.').waitFor()
    await put(page)
    await page.getByText('Your organisation’s tier does not include this').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })
})

describe('the JSON', () => {
  it('that cannot be read stays as it is, and is not sent', async () => {
    const page = await open(starter, '/app/policies?view=json')
    await written(page).fill('{"cache": {"ttl_seconds": 60}, "cache": {}}')
    await page.getByText('The JSON cannot be read: An object in it names the same member twice.').waitFor()
    await page.getByRole('button', { name: 'Put it in force' }).click({ force: true })
    await expect.poll(() => written(page).inputValue()).toBe('{"cache": {"ttl_seconds": 60}, "cache": {}}')
    expect((await inForce()).document).toEqual(BEFORE)
  })

  it('is shown as text, whatever it says', async () => {
    const page = await open(starter, '/app/policies?view=json')
    await written(page).fill(JSON.stringify({ '<img src=x onerror=alert(1)>': '<script>alert(1)</script>' }))
    await expect
      .poll(() => changes(page))
      .toContain('<img src=x onerror=alert(1)>addednot there"<script>alert(1)</script>"')
    await put(page)
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.locator('main img').count()).toBe(0)
  })
})

describe('a policy that was changed meanwhile', () => {
  it('is not overwritten: what is written is compared with it first', async () => {
    const page = await open(starter, '/app/policies?view=json')
    await written(page).fill(JSON.stringify({ ...BEFORE, cache: { ttl_seconds: 60 } }))
    const { version } = await inForce({ ...BEFORE, cache: { ttl_seconds: 90 } })
    await put(page)
    await page.getByText('The policy was changed in the meantime').waitFor()
    // Read again in vain, what is written stays.
    const compare = page.getByRole('button', { name: 'Compare with what is in force now' })
    await abortFirst(page, '**/api/policies')
    await compare.click()
    await page.getByText('could not be reached').waitFor()
    await compare.click()
    await expect.poll(() => changes(page)).toContain('cache › ttl_secondschanged9060')
    await put(page)
    await page.getByText(`Version ${version + 1} is in force.`).waitFor()
  })
})

describe('past calls', () => {
  it('are held against what is written, and those that would have gone otherwise are shown', async () => {
    const answer = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${starter.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
    const page = await pageOf(starter)
    const { version } = await inForce()
    await open(page, '/app/policies')
    await apply(page, 'Use cases')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByRole('heading', { name: /would have ended differently/ }).waitFor()
    const row = page.getByRole('region', { name: 'Calls that would' }).getByRole('row').nth(1)
    await expect.poll(() => row.textContent()).toContain('Passedis blocked by use_case_guard: use_case_required')
    expect((await inForce()).version).toBe(version)
    await page.getByLabel('Apply Use cases').uncheck()
    await page.getByText('The policy was changed since this was tried.').waitFor()
  })
})

describe('the history', () => {
  it('has each version, and brings one back as a change that is not in force yet', async () => {
    const { version } = await inForce({ cache: { ttl_seconds: 60 } })
    const page = await open(starter, '/app/policies')
    const row = page.getByRole('row', { name: `Version ${version} ` })
    await expect.poll(() => row.textContent()).toMatch(/In force(just now|\d+ \w+ ago)you/)
    await page.getByRole('link', { name: `Version ${version - 1}`, exact: true }).click()
    await page.getByRole('heading', { name: `Version ${version - 1}` }).waitFor()
    expect(new URL(page.url()).search).toBe(`?version=${version - 1}`)
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByText('is written below, and not in force yet').waitFor()
    expect((await inForce()).version).toBe(version)
    await put(page)
    await page.getByText(`Version ${version + 1} is in force.`).waitFor()
    expect((await inForce()).document).toEqual(BEFORE)
  })

  it('brings back no version for good over what is written', async () => {
    const { version } = await inForce({ cache: { ttl_seconds: 60 } })
    const page = await open(starter, '/app/policies?view=json')
    const mine = JSON.stringify({ cache: { ttl_seconds: 77 } })
    await written(page).fill(mine)
    await page.getByRole('link', { name: `Version ${version - 1}`, exact: true }).click()
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await expect.poll(() => written(page).inputValue()).not.toBe(mine)
    await page.getByRole('button', { name: 'Back to what you had written' }).click()
    await expect.poll(() => written(page).inputValue()).toBe(mine)
    expect((await inForce()).version).toBe(version)
  })
})

describe('a role', () => {
  it('that may only read changes nothing', async () => {
    const page = await pageOf(starter)
    await showRole(page, 'developer')
    await open(page, '/app/policies')
    await page.getByText('Your role may read the policy and not change it.').waitFor()
    await expect.poll(() => page.getByLabel('Apply Models').isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'As JSON' }).click()
    await expect.poll(() => written(page).isEditable()).toBe(false)
    await expect.poll(() => page.getByRole('button', { name: /put it in force|try it/i }).count()).toBe(0)
  })
})
