// The page of the approvals, from a call that is blocked for people to its answer, and who may not decide.
import { createHash, randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { changeAnswers, showRole } from '../support/browser/acts.ts'
import { origin, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const { enterprise } = service.owners
if (enterprise === undefined) throw new Error('nobody owns an organisation of the tier enterprise')

const LETTERS = { human_approval: { when: [{ use_cases: ['letters'] }] } }

beforeAll(async () => {
  await ask('PUT', '/api/policies', LETTERS, await sessionOf(enterprise))
})

type Refused = { error: { code: string; approval_id: string } }
type Sent = { status: number; answer: Refused }

/** A call by a program of the organisation. The operator made the key, unless it is another. */
async function send(body: object, { approval = '', key = enterprise?.key ?? '' } = {}): Promise<Sent> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-aqta-use-case': 'letters',
      ...(approval !== '' && { 'x-aqta-approval': approval }),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, answer: (await response.json()) as Refused }
}

const letter = () => ({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `A letter ${randomUUID()}` }] })

/** One that waits: its body, and its id. */
async function blocked(key?: string): Promise<{ body: object; id: string }> {
  const body = letter()
  const { status, answer } = await send(body, key === undefined ? {} : { key })
  expect([status, answer.error.code]).toEqual([403, 'approval_required'])
  return { body, id: answer.error.approval_id }
}

const addressOf = (id: string): string => `/app/approvals?id=${id}`

/** The card of the open request. The list behind it stays where it was. */
const card = (page: Page) => page.locator('section.card')

const decideButton = (page: Page, words: string) =>
  page.getByRole('dialog').getByRole('button', { name: words, exact: true })

describe('a request that waits', () => {
  it('is approved here with a note, and then passes, once', async () => {
    const { body, id } = await blocked()
    const page = await open(enterprise, addressOf(id))
    await card(page).getByText('Time left to decide').waitFor()
    await expect.poll(() => page.locator('section.card').textContent()).toMatch(/23 h 5\d min/)
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByLabel('Note').fill('Read and found right.')
    await decideButton(page, 'Approve').click()

    await page.getByRole('heading', { name: 'Keep your note' }).waitFor()
    await page.keyboard.press('Escape')
    const [note = '', salt = ''] = await page.getByRole('dialog').locator('pre').allTextContents()
    type Shown = { decisions: [{ acceptance: { reason_hash: string } }] }
    const shown = await ask<Shown>('GET', `/api/approvals/${id}`, undefined, await sessionOf(enterprise))
    const hash = createHash('sha256').update(Buffer.from(salt, 'hex')).update(note).digest('hex')
    expect(shown.decisions[0].acceptance.reason_hash).toBe(hash)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('is approved: the same request may be sent again').waitFor()

    expect((await send(letter(), { approval: id })).status).toBe(403)
    expect((await send(body, { approval: id })).status).toBe(200)
    expect((await send(body, { approval: id })).status).toBe(403)
    await open(page, addressOf(id))
    await card(page).getByText('Has run').waitFor()
    await card(page).getByText('approved by you').waitFor()
  })

  it('has the notes of its decisions read only by who asks for them, where content is kept', async () => {
    const { id } = await blocked()
    const page = await open(enterprise, addressOf(id))
    await ask('PATCH', '/api/settings', { content_logging: { retention_days: 7 } }, await sessionOf(enterprise))
    const note = '<img src=x onerror=alert(1)> not for this patient'
    await page.getByRole('button', { name: /^Deny/ }).click()
    await page.getByLabel('Note').fill(note)
    await decideButton(page, 'Deny').click()
    await page.getByRole('button', { name: 'Done' }).click()
    await ask('PATCH', '/api/settings', { content_logging: null }, await sessionOf(enterprise))

    await open(page, addressOf(id))
    await page.getByText('The ledger says who has read them.').waitFor()
    await expect.poll(() => page.getByText(note).count()).toBe(0)
    await page.getByRole('button', { name: 'Read the notes' }).click()
    await page.getByText(note).waitFor()
    await expect.poll(() => page.locator('img').count()).toBe(0)
  })

  it('is denied here, and does not pass', async () => {
    const { body, id } = await blocked()
    const page = await open(enterprise, addressOf(id))
    await page.getByRole('button', { name: /^Deny/ }).click()
    await decideButton(page, 'Deny').click()
    await page.getByText('is denied.').waitFor()
    await card(page).getByText('Denied', { exact: true }).waitFor()
    expect((await send(body, { approval: id })).status).toBe(403)
  })

  it('that somebody else has decided meanwhile is shown so, also behind a dialog that stands open', async () => {
    const [first, second] = [await blocked(), await blocked()]
    const denied = { decision: 'deny' }
    const page = await open(enterprise, addressOf(first.id), { provoked: refusedWith(409) })
    await card(page).getByText('Waiting', { exact: true }).waitFor()
    await ask('POST', `/api/approvals/${first.id}/decision`, denied, await sessionOf(enterprise))
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await card(page).getByText('Denied', { exact: true }).waitFor()

    await open(page, addressOf(second.id))
    await page.getByRole('button', { name: /^Approve/ }).click()
    await ask('POST', `/api/approvals/${second.id}/decision`, denied, await sessionOf(enterprise))
    await decideButton(page, 'Approve').click()
    await page.getByText('This approval is already denied. Nobody can decide it now.').waitFor()
    await card(page).getByText('Denied', { exact: true }).waitFor()
  })

  it('is passed on, and whoever passed it on decides it no more', async () => {
    const { id } = await blocked()
    const page = await open(enterprise, addressOf(id))
    await page.getByRole('button', { name: /^Pass on/ }).click()
    await decideButton(page, 'Pass it on').click()
    await card(page).getByText('You have passed it on: it waits for somebody else.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  })

  it('stands in the list with the oldest first', async () => {
    const asked = [await blocked(), await blocked()]
    const page = await open(enterprise, '/app/approvals')
    const links = await page.getByRole('article').getByRole('link').all()
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')))
    expect(addresses.slice(-2)).toEqual(asked.map(({ id }) => `/app/approvals?id=${id}`))
  })

  it('is told from another by the hash of a body, which is sent nowhere', async () => {
    const { body, id } = await blocked()
    const page = await open(enterprise, addressOf(id))
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.getByText('Is this the request that you have seen?').click()
    const field = page.getByLabel('Body of the request')
    await field.fill(JSON.stringify(letter()))
    await page.getByText('Another: this is not the request that waits.').waitFor()
    await field.fill(JSON.stringify(body, null, 2))
    await page.getByText('The same: this is the request that waits.').waitFor()
    expect(sent).toEqual([])
  })

  it('counts down to its end', async () => {
    const { id } = await blocked()
    const page = await pageOf(enterprise)
    const expires_at = new Date(Date.now() + 1_500).toISOString()
    await changeAnswers(page, `**/api/approvals/${id}`, (shown) => ({ ...shown, expires_at }))
    await open(page, addressOf(id))
    await card(page).getByText('over', { exact: true }).waitFor()
    await card(page).getByText('nobody can decide it any more').waitFor()
    await page.getByRole('button', { name: /^Approve/ }).waitFor({ state: 'detached' })
  })
})

describe('somebody who may not decide', () => {
  it('is who made the key that asks: the page says so, and the service refuses it', async () => {
    const page = await open(enterprise, '/app/approvals', { provoked: refusedWith(403) })
    const name = `<img src=x onerror=alert(1)> ${randomUUID().slice(0, 4)}`
    const { key } = await ask<{ key: string }>('POST', '/api/keys', { name }, await sessionOf(enterprise))
    const { id } = await blocked(key)
    await open(page, addressOf(id))
    await card(page).getByText('A key that you made asks for this: somebody else decides.').waitFor()
    await card(page).getByText(name).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
    await expect.poll(() => page.locator('img').count()).toBe(0)

    // A clinician's page sees no keys, so only the service can refuse here.
    await showRole(page, 'clinician')
    await open(page, addressOf(id))
    await page.getByRole('button', { name: /^Approve/ }).click()
    await decideButton(page, 'Approve').click()
    await page.getByText('You made the key that asks for this').waitFor()
  })

  it('is somebody with another role, who sees what waits', async () => {
    const { id } = await blocked()
    const page = await pageOf(enterprise)
    await showRole(page, 'auditor')
    await open(page, addressOf(id))
    await card(page).getByText('Owners, admins and clinicians decide.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  })
})
