// The playground: how a call ends there, what it says of its record, and that its key and what was typed are kept nowhere.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers } from '../support/browser/acts.ts'
import { origin, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import {
  ask,
  keyOf,
  newMember,
  ownOrganisation,
  ownOrganisationOn,
  type OwnOrganisation,
} from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const ADDRESS = '/app/playground'
const TYPED = 'A note of nobody, for the triage'
/** Runs what follows as a module. */
const NODE = [process.execPath, '--input-type=module', '-e'] as const

/** A provider that no other test in a browser calls, so that its behaviours are of these tests alone. */
const GOOGLE = 'gemini-3.5-flash-lite'

async function behave(...behaviours: string[]): Promise<void> {
  const body = JSON.stringify({ endpoint: 'google', behaviours })
  expect((await fetch(`${service.emulator}/_emulator/behave`, { method: 'POST', body })).status).toBe(200)
}

async function withGoogle(): Promise<OwnOrganisation> {
  const organisation = await ownOrganisation()
  const settings = { enabled_providers: ['openai', 'google'] }
  await ask('PATCH', '/api/settings', settings, await sessionOf(organisation.owner))
  return organisation
}

const field = (page: Page) => page.getByLabel('User', { exact: true })
const send = (page: Page): Promise<void> => page.getByRole('button', { name: 'Send call' }).click()
const record = (page: Page) => page.getByRole('region', { name: 'Signed record' })
const end = (page: Page) => page.getByRole('region', { name: 'Result' })

async function typed(page: Page, { isStream = true } = {}): Promise<Page> {
  await field(page).fill(TYPED)
  const stream = page.getByLabel('Stream the answer')
  if (!(await stream.isVisible())) await page.getByText('Parameters').click()
  await stream.setChecked(isStream)
  return page
}

/** What every ending has in common: nothing that was typed is lost. */
const keepsWhatWasTyped = (page: Page): Promise<void> => expect.poll(() => field(page).inputValue()).toBe(TYPED)

type Made = { id: string; key: string }

/** Notes the keys that the page makes. */
function keysMade(page: Page): Promise<Made>[] {
  const made: Promise<Made>[] = []
  page.on('response', (response) => {
    if (response.url() === `${origin}/api/keys` && response.request().method() === 'POST')
      made.push(response.json() as Promise<Made>)
  })
  return made
}

describe('a call', () => {
  it('is made by a click alone, and its key is in no storage, address or element', async () => {
    const { owner } = await ownOrganisation()
    const page = await open(owner, ADDRESS)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
    const made = keysMade(page)
    await typed(page)
    expect(sent).toEqual([])
    await send(page)
    await record(page).getByText('Development key: unchanged').waitFor()
    expect(sent).toEqual(['/api/keys', '/v1/chat/completions'])
    await expect.poll(() => end(page).innerText()).toMatch(/\d tokens in, \d+ out, €0\.0/)
    await expect.poll(() => record(page).innerText()).toContain('signed as ALLOWED')
    const { id, key } = (await made[0]) ?? { id: '', key: '' }
    expect(key).toMatch(/^aqta_/)
    const kept = 'JSON.stringify([location.href, localStorage, sessionStorage, history.state, document.cookie])'
    await expect.poll(() => page.evaluate(kept)).not.toContain(key)
    await expect.poll(() => page.content()).not.toContain(key)
    type Key = { name: string; scopes: string[]; created_at: string; expires_at: string }
    const shown = await ask<Key>('GET', `/api/keys/${id}`, undefined, await sessionOf(owner))
    expect(shown).toMatchObject({ name: 'Playground', scopes: ['chat'] })
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBeLessThanOrEqual(3_600_000)

    await page.getByRole('link', { name: 'See the call' }).click()
    await page.getByRole('dialog').getByRole('list', { name: 'What happened' }).waitFor()
    type Keys = { data: { id: string }[] }
    const active = async () => (await ask<Keys>('GET', '/api/keys', undefined, await sessionOf(owner))).data
    await expect.poll(async () => (await active()).map((one) => one.id)).not.toContain(id)
    await open(page, '/app')
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    await expect.poll(() => steps.nth(2).innerText()).toMatch(/Record checked[^]*Done/)
    await page.evaluate('localStorage.clear()')
    await open(page, '/app')
    // No lasting key is there yet, and the record can be checked all the same.
    await steps.nth(2).getByRole('link', { name: 'Open the record' }).waitFor()
  })

  it('as a stream is shown as it comes, and can be stopped', async () => {
    const { owner } = await withGoogle()
    const page = await typed(await open(owner, ADDRESS))
    await page.getByLabel('Model').selectOption(GOOGLE)
    await behave('stream,400,50')
    await send(page)
    await page.getByRole('heading', { name: 'The answer is coming' }).waitFor()
    await expect.poll(async () => (await page.getByRole('blockquote').innerText()).length).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('heading', { name: 'Stopped' }).waitFor()
    await record(page).getByText('Development key: unchanged').waitFor()
    await keepsWhatWasTyped(page)
  })

  it.each([
    { language: 'curl', command: ['sh', '-c'] as const },
    { language: 'Node', command: NODE },
    { language: 'Anthropic SDK', command: NODE },
  ])('as code in $language runs as it is shown', async ({ language, command: [program, ...options] }) => {
    const organisation = await ownOrganisation()
    const page = await typed(await open(organisation.owner, ADDRESS), { isStream: false })
    await field(page).fill(`It’s "quoted" and isn't plain: $HOME \`x\``)
    const useCase = page.getByRole('textbox', { name: 'Use case' })
    await useCase.fill('Letters for the ward')
    await expect.poll(() => useCase.getAttribute('aria-invalid')).toBe('true')
    await useCase.fill('triage-notes')
    await expect.poll(() => useCase.getAttribute('aria-invalid')).toBe(null)
    await page.getByRole('tab', { name: language }).click()
    const code = await page.getByRole('tabpanel').innerText()
    const env = { ...process.env, GATEWAY_KEY: await keyOf(organisation) }
    const { stdout } = await promisify(execFile)(program, [...options, code], { env })
    expect(stdout).toContain('ALLOWED')
    type Calls = { data: { use_case: string }[] }
    const { data } = await ask<Calls>('GET', '/api/calls', undefined, await sessionOf(organisation.owner))
    expect(data.map((call) => call.use_case)).toEqual(['triage-notes'])
  })
})

describe('what was typed', () => {
  it('is there after the page was left, in this tab alone, with the last calls, until it is cleared', async () => {
    const { owner } = await ownOrganisation()
    const page = await typed(await open(owner, ADDRESS))
    await page.getByText(/About 8 tokens in, at most 300 out: up to about €0\.000\d/).waitFor()
    const most = page.getByLabel('Max output tokens')
    await most.fill('-5')
    await expect.poll(() => page.getByText(/up to about €/).count()).toBe(0)
    await most.fill('300')
    await send(page)
    await record(page).waitFor()
    await page.reload()
    await keepsWhatWasTyped(page)
    await end(page).getByRole('link', { name: 'Passed' }).waitFor()
    const kept = (): Promise<string> => page.evaluate('JSON.stringify([location.href, localStorage, document.cookie])')
    await expect.poll(kept).not.toContain(TYPED)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.reload()
    await expect.poll(() => field(page).inputValue()).toBe('Name three towns.')
  })
})

describe('signing out', () => {
  it('revokes the key before the session ends, and forgets what was typed', async () => {
    const { owner } = await ownOrganisation()
    const page = await typed(await open(owner, ADDRESS))
    const made = keysMade(page)
    await send(page)
    await record(page).waitFor()
    const { key } = await (made[0] ?? Promise.reject(new Error('no key was made')))
    const statusOf = async () =>
      (await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await statusOf()).toBe(200)
    await page.getByRole('button', { name: / account of / }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect.poll(statusOf).toBe(401)
    await page.waitForURL(/\/sign-in/)
    await expect.poll(() => page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(TYPED)
  })
})

describe('a record', () => {
  it('that differs from what was signed has no seal', async () => {
    const { owner } = await ownOrganisation()
    const page = await typed(await open(owner, ADDRESS), { isStream: false })
    type Answered = { aqta: { attestation: object } }
    await changeAnswers<Answered>(page, '**/v1/chat/completions', (body) => ({
      ...body,
      aqta: { ...body.aqta, attestation: { ...body.aqta.attestation, model: 'gpt-5.6-sol' } },
    }))
    await send(page)
    await record(page).getByText('Not valid: do not rely on it.').waitFor()
    await expect.poll(() => record(page).locator('.seal').count()).toBe(0)
  })

  it('that nothing could check is said to be unchecked', async () => {
    const { owner } = await ownOrganisation()
    const page = await typed(await open(await pageOf(owner, { provoked: /ERR_FAILED/ }), ADDRESS))
    await page.route('**/check-receipt-in-browser*.js', (route) => route.abort())
    await send(page)
    await record(page).getByText('Nothing was checked').waitFor()
    await expect.poll(() => record(page).locator('.seal').count()).toBe(0)
  })
})

describe('a call without an answer', () => {
  it('blocked by the policy says the rule and the reason, and has its record', async () => {
    const { owner } = await ownOrganisation()
    await ask('PUT', '/api/policies', { model_allowlist: { models: ['gpt-4.1-mini'] } }, await sessionOf(owner))
    const page = await typed(await open(owner, ADDRESS, { provoked: refusedWith(403) }))
    await expect.poll(() => page.getByLabel('Model').inputValue()).toBe('gpt-4.1-mini')
    const apart = page.locator('optgroup[label="Blocked by your policy"]')
    await expect.poll(() => apart.textContent()).toContain('gpt-5.6-luna')
    await page.getByLabel('Model').selectOption('gpt-5.6-luna')
    await send(page)
    await expect.poll(() => end(page).innerText()).toMatch(/Models allowed[^]*Model not allowed/)
    await page.getByRole('link', { name: 'See the policy' }).waitFor()
    await record(page).getByText('Development key: unchanged').waitFor()
    await expect.poll(() => record(page).innerText()).toContain('signed as BLOCKED')
    await keepsWhatWasTyped(page)
  })

  it('held says who may approve, and is sent again once it is approved', async () => {
    const { owner } = await ownOrganisationOn('pro')
    const reviewer = await newMember(owner, 'clinician', 'A Reviewer')
    await ask(
      'PUT',
      '/api/policies',
      { human_approval: { when: [{ use_cases: ['letters'] }] } },
      await sessionOf(owner),
    )
    const page = await open(owner, ADDRESS, { provoked: refusedWith(403) })
    await typed(page)
    const refused = page.waitForResponse('**/v1/chat/completions')
    await send(page)
    const { error } = (await (await refused).json()) as { error: { approval_id: string } }
    await page.getByRole('heading', { name: 'No answer yet' }).waitFor()
    await expect.poll(() => end(page).innerText()).toMatch(/approved by \d\d:\d\d UTC[^]*Keep this tab open/)
    await expect.poll(() => end(page).innerText()).toContain('A Reviewer')
    await record(page).getByText('signed as BLOCKED').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Send the approved call' }).count()).toBe(0)
    await keepsWhatWasTyped(page)
    // What is approved is sent, whatever is written meanwhile.
    await field(page).fill('Another text')
    await ask(
      'POST',
      `/api/approvals/${error.approval_id}/decision`,
      { decision: 'approve' },
      await sessionOf(reviewer),
    )
    await page.getByRole('button', { name: 'Send the approved call' }).click()
    await page.getByRole('heading', { name: 'Answer' }).waitFor()
    await record(page).getByText('signed as ALLOWED').waitFor()
    await record(page).getByText('Development key: unchanged').waitFor()
  })

  it('whose provider fails says so, and has the record of the decision', async () => {
    const { owner } = await withGoogle()
    const page = await typed(await open(await pageOf(owner, { provoked: /status of 502 / }), ADDRESS))
    await page.getByLabel('Model').selectOption(GOOGLE)
    await behave('401')
    await send(page)
    await page.getByRole('heading', { name: 'No whole answer Failed' }).waitFor()
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('The provider rejected this service’s own key')
    await record(page).getByText('Development key: unchanged').waitFor()
    await behave('mid-error,3')
    await send(page)
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('could not complete the call')
    await expect.poll(() => page.getByRole('blockquote').count()).toBe(1)
    await keepsWhatWasTyped(page)
  })

  it('over the limit of calls says when to try again, and that there is no record', async () => {
    const organisation = await ownOrganisation()
    const headers = { authorization: `Bearer ${await keyOf(organisation)}` }
    for (let calls = 0; calls < 5; calls++) await fetch(`${origin}/v1/models`, { headers })
    const page = await typed(await open(organisation.owner, ADDRESS, { provoked: refusedWith(429) }))
    await send(page)
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Try again in')
    await expect.poll(() => end(page).innerText()).toContain('There is no record')
    await expect.poll(() => record(page).count()).toBe(0)
    await keepsWhatWasTyped(page)
  })

  it('repeated too often is suppressed, with the record of that', async () => {
    const { owner } = await ownOrganisation()
    await ask('PUT', '/api/policies', { loop_guard: { repeats: 2 } }, await sessionOf(owner))
    const page = await typed(await open(owner, ADDRESS, { provoked: refusedWith(429) }))
    for (const words of ['Answer', 'Answer', 'No answer Suppressed']) {
      await send(page)
      await page.getByRole('heading', { name: words, exact: false }).waitFor()
      await record(page).getByText('Development key: unchanged').waitFor()
    }
    await expect.poll(() => record(page).innerText()).toContain('signed as SUPPRESSED')
  })
})

describe('the key', () => {
  it('that has ended is replaced, and the call is answered', async () => {
    const { owner } = await ownOrganisation()
    const page = await typed(await open(owner, ADDRESS, { provoked: refusedWith(401) }))
    const made = keysMade(page)
    await send(page)
    await record(page).getByText('Development key: unchanged').waitFor()
    const { id } = (await made[0]) ?? { id: '' }
    await ask('DELETE', `/api/keys/${id}`, undefined, await sessionOf(owner))
    await field(page).fill('Another text')
    await send(page)
    await expect.poll(() => made.length).toBe(2)
    await page.getByRole('heading', { name: 'Answer' }).waitFor()
    await record(page).getByText('Development key: unchanged').waitFor()
  })

  it('that cannot be made is said, and nothing is sent', async () => {
    const { owner } = await ownOrganisation()
    const page = await typed(await open(owner, ADDRESS, { provoked: refusedWith(409) }))
    await page.route('**/api/keys', (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'There are too many keys.' } } }),
    )
    await send(page)
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('There are too many keys.')
    await keepsWhatWasTyped(page)
  })
})

describe('an organisation without providers', () => {
  it('is told what will be here, and where to choose them', async () => {
    const { owner } = await ownOrganisation()
    await ask('PATCH', '/api/settings', { enabled_providers: [] }, await sessionOf(owner))
    const page = await open(owner, ADDRESS)
    await settled(page)
    await page.getByText('No model can be called yet').waitFor()
    await page.getByRole('link', { name: 'Choose the providers' }).click()
    await page.waitForURL(/\/app\/settings\?part=providers$/)
  })
})
