// The page of the approvals in tests: the open request, its buttons, a decision that is signed, and calls that wait.
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { changeAnswers } from './acts.ts'
import { origin, pageOf, service, sessionOf } from './browser.ts'
import { open } from './pages.ts'
import { ask } from './people.ts'
import type { Person } from './service.ts'
import type { Look } from './visitor.ts'

const { enterprise: owner } = service.owners
if (owner === undefined) throw new Error('nobody owns an organisation of the tier enterprise')

/** Of the organisation whose requests wait. */
export const enterprise = owner

/** The card of the open request. */
export const card = (page: Page) => page.getByRole('region', { name: 'Request', exact: true })

export const approve = (page: Page) => page.getByRole('button', { name: /^Approve request/ })
export const deny = (page: Page) => page.getByRole('button', { name: /^Deny request/ })
export const passOn = (page: Page) => page.getByRole('button', { name: /^Pass on/ })
export const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })
export const question = (page: Page) => page.getByRole('dialog', { name: 'You have not compared the request' })

/** The page, whose time passes only where a test lets it. */
export async function openPaused(person: Person, address: string, look: Look = {}): Promise<Page> {
  const page = await pageOf(person, look)
  await page.clock.install()
  await open(page, address)
  await page.clock.pauseAt(Date.now() + 10_000)
  return page
}

/** Presses without having compared, confirms that where it is asked, and lets the time to undo pass. */
export async function sign(page: Page, button: Locator): Promise<void> {
  await button.click()
  const anyway = page.getByRole('button', { name: 'Approve anyway' })
  await undo(page).or(anyway).waitFor()
  if (await anyway.isVisible()) await anyway.click()
  await undo(page).waitFor()
  await page.clock.runFor(5_000)
}

type Refused = { error: { code: string; approval_id: string } }
type Sent = { status: number; answer: Refused }

/** A call by a program of the organisation. The operator made the key, unless it is another. */
export async function send(body: object, { approval = '', key = enterprise.key } = {}): Promise<Sent> {
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

export const letter = () => ({
  model: 'gpt-4.1-mini',
  messages: [{ role: 'user', content: `A letter ${randomUUID()}` }],
})

/** One that waits: its body, and its id. */
export async function blocked(key?: string): Promise<{ body: object; id: string }> {
  const body = letter()
  const { status, answer } = await send(body, key === undefined ? {} : { key })
  if (answer.error.code !== 'approval_required') throw new Error(`the call was answered with ${status}`)
  return { body, id: answer.error.approval_id }
}

export const waiting = (page: Page) => page.getByRole('navigation', { name: 'Waiting requests' })
export const addressOf = (id: string): string => `/app/approvals?id=${id}`

/** The page two seconds before the request ends, as the service tells it. */
export const openEnding = async (id: string): Promise<Page> => {
  const page = await pageOf(enterprise)
  const end = Date.now() + 60_000
  const expires_at = new Date(end).toISOString()
  await changeAnswers(page, `**/api/approvals/${id}`, (shown) => ({ ...shown, expires_at }))
  await page.clock.install()
  await open(page, addressOf(id))
  await page.clock.pauseAt(end - 2_000)
  return page
}

export const waitingOldestFirst = async (): Promise<{ id: string }[]> => {
  type Waiting = { data: { id: string; created_at: string }[] }
  const path = '/api/approvals?state=pending&limit=100'
  const { data } = await ask<Waiting>('GET', path, undefined, await sessionOf(enterprise))
  return data.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
}

export const decisionsOf = async (id: string) =>
  (
    await ask<{ decisions: { acceptance: { reason_hash: string } }[] }>(
      'GET',
      `/api/approvals/${id}`,
      undefined,
      await sessionOf(enterprise),
    )
  ).decisions

/** The words of what has the focus. */
export const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

export async function isAbove(what: Locator, below: Locator): Promise<boolean> {
  const [upper, lower] = [await what.boundingBox(), await below.boundingBox()]
  return upper !== null && lower !== null && upper.y + upper.height <= lower.y
}

/** True for what can be seen whole without scrolling. */
export async function isInSight(what: Locator): Promise<boolean> {
  const { y, height } = (await what.boundingBox()) ?? { y: -1, height: 0 }
  return y >= 0 && y + height <= (what.page().viewportSize()?.height ?? 0)
}
