// The page of the approvals, from a call that is blocked for people to its answer, and who may not decide.
import { createHash, randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf, showRole } from '../support/browser/acts.ts'
import { origin, pageOf, sessionOf } from '../support/browser/browser.ts'
import {
  addressOf,
  approve,
  blocked,
  card,
  decisionsOf,
  deny,
  enterprise,
  focused,
  isAbove,
  isInSight,
  letter,
  openEnding,
  openPaused,
  passOn,
  question,
  send,
  sign,
  undo,
  waiting,
  waitingOldestFirst,
} from '../support/browser/decisions.ts'
import { open } from '../support/browser/pages.ts'
import { ask, newMember } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const LETTERS = { human_approval: { when: [{ use_cases: ['letters'] }] } }

beforeAll(async () => {
  await ask('PUT', '/api/policies', LETTERS, await sessionOf(enterprise))
})

describe('a request that waits', () => {
  it('is told from another of the same model, use case and key by its hash in the list', async () => {
    const { id } = await blocked()
    const other = await blocked()
    const page = await open(enterprise, addressOf(id))
    const line = waiting(page).locator('[aria-current] code')
    const hash = await line.innerText()
    await expect.poll(() => card(page).textContent()).toContain(hash)
    await page.goto(addressOf(other.id))
    await expect.poll(() => card(page).textContent()).toMatch(/Request hash[0-9a-f]{64}/)
    await expect.poll(() => line.innerText()).not.toBe(hash)
  })

  it('is approved here with a reason, and then passes, once', async () => {
    const { body, id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    await expect.poll(() => card(page).textContent()).toMatch(/Waiting.+Identifiers foundNot searched: the policy/s)
    await expect.poll(() => waiting(page).locator('[aria-current]').textContent()).toMatch(/23 h 5\d min left/)
    await page.getByLabel('Reason').fill('Read and found right.')
    await sign(page, approve(page))

    await page.getByText('The same request may be sent again within an hour, once.').waitFor()
    const [note = '', salt = ''] = await card(page).locator('.notice pre').allTextContents()
    const [decision] = await decisionsOf(id)
    const hash = createHash('sha256').update(Buffer.from(salt, 'hex')).update(note).digest('hex')
    expect(decision?.acceptance.reason_hash).toBe(hash)
    await card(page).getByText('Development key: unchanged').waitFor()
    await expect.poll(() => card(page).textContent()).toMatch(/59 min \d+ s left/)
    await expect.poll(() => waiting(page).locator('[aria-current]').textContent()).toContain('Approved')

    expect((await send(letter(), { approval: id })).status).toBe(403)
    expect((await send(body, { approval: id })).status).toBe(200)
    expect((await send(body, { approval: id })).status).toBe(403)
    await open(page, addressOf(id))
    await expect.poll(() => card(page).textContent()).toMatch(/Ran.+Approved by you/s)
  })

  it('has a signed decision that is not called valid once a letter of it is changed', async () => {
    const { id } = await blocked()
    await ask('POST', `/api/approvals/${id}/decision`, { decision: 'deny' }, await sessionOf(enterprise))
    const page = await pageOf(enterprise)
    type Shown = { decisions: { acceptance: object }[] }
    await changeAnswers(page, `**/api/approvals/${id}`, (shown) => ({
      ...shown,
      decisions: (shown as Shown).decisions.map(({ acceptance, ...made }) =>
        Object.assign(made, { acceptance: { ...acceptance, reviewer_authority: 'role:owner ' } }),
      ),
    }))
    await open(page, addressOf(id))
    await card(page).getByText('Not valid: do not rely on it.').waitFor()
    await expect.poll(() => card(page).locator('.seal').count()).toBe(0)
  })

  it('has the reasons of its decisions read only by who asks for them, where content is kept', async () => {
    const { id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    await ask('PATCH', '/api/settings', { content_logging: { retention_days: 7 } }, await sessionOf(enterprise))
    const note = '<img src=x onerror=alert(1)> not for this patient'
    await page.getByLabel('Reason').fill(note)
    await sign(page, deny(page))
    await page.getByText('You denied it.').waitFor()
    await ask('PATCH', '/api/settings', { content_logging: null }, await sessionOf(enterprise))

    await open(page, addressOf(id))
    await page.getByText('The log says who has read them.').waitFor()
    await expect.poll(() => page.getByText(note).count()).toBe(0)
    await page.getByRole('button', { name: 'Read the reasons' }).click()
    await page.getByText(note).waitFor()
    await expect.poll(() => page.locator('img').count()).toBe(0)
  })

  it('is denied here, does not pass, and leads to the next one', async () => {
    const [{ body, id }, other] = [await blocked(), await blocked()]
    const page = await openPaused(enterprise, addressOf(id))
    await sign(page, deny(page))
    await page.getByText('You denied it.').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H2')
    expect((await send(body, { approval: id })).status).toBe(403)
    await page.getByRole('link', { name: 'Review the next request' }).click()
    await approve(page).waitFor()
    expect(new URL(page.url()).searchParams.get('id')).not.toBe(id)
    await ask('POST', `/api/approvals/${other.id}/decision`, { decision: 'deny' }, await sessionOf(enterprise))
  })

  it('that somebody else has decided meanwhile is shown so, also where it is decided here too late', async () => {
    const [first, second] = [await blocked(), await blocked()]
    const denied = { decision: 'deny' }
    const page = await openPaused(enterprise, addressOf(first.id), { provoked: refusedWith(409) })
    await approve(page).waitFor()
    await ask('POST', `/api/approvals/${first.id}/decision`, denied, await sessionOf(enterprise))
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await card(page).getByText('Denied', { exact: true }).waitFor()

    await open(page, addressOf(second.id))
    await approve(page).waitFor()
    await ask('POST', `/api/approvals/${second.id}/decision`, denied, await sessionOf(enterprise))
    await sign(page, approve(page))
    await page.getByText('This approval is already denied. Nobody can decide it now.').waitFor()
    await card(page).getByText('Denied', { exact: true }).waitFor()
  })

  it('stays the one that is open once somebody else has decided about it: no other slips under the button', async () => {
    await blocked()
    await blocked()
    const page = await openPaused(enterprise, '/app/approvals', { provoked: refusedWith(409) })
    await approve(page).waitFor()
    const [oldest] = await waitingOldestFirst()
    await ask('POST', `/api/approvals/${oldest?.id}/decision`, { decision: 'deny' }, await sessionOf(enterprise))
    await sign(page, approve(page))
    await page.getByText('This approval is already denied. Nobody can decide it now.').waitFor()
    await card(page).getByText('Denied', { exact: true }).waitFor()
    await expect.poll(() => approve(page).count()).toBe(0)
  })

  it('is passed on, and cannot be decided any more by the one who passed it on', async () => {
    const { id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    await passOn(page).click()
    await undo(page).waitFor()
    await page.clock.runFor(5_000)
    await card(page).getByText('You have passed it on: it waits for somebody else.').waitFor()
    await expect.poll(() => approve(page).count()).toBe(0)
  })

  it('is in the list, of which the oldest is open', async () => {
    await blocked()
    const page = await open(enterprise, '/app/approvals')
    const links = waiting(page).getByRole('link')
    const addresses = await Promise.all((await links.all()).map((link) => link.getAttribute('href')))
    expect(addresses).toEqual((await waitingOldestFirst()).map(({ id }) => addressOf(id)))
    await expect.poll(() => links.first().getAttribute('aria-current')).toBe('true')
  })

  it('is told from another by the hash of a text, which is sent nowhere and turns Approve off', async () => {
    const { body, id } = await blocked()
    const page = await open(enterprise, addressOf(id))
    const field = page.getByLabel('Paste the request')
    await page.getByRole('button', { name: 'Compare the request' }).click()
    await field.and(page.locator(':focus')).waitFor()
    const sent = pathsOf(page)
    const filled = page.locator('main .button.first')
    await expect.poll(() => filled.count()).toBe(0)
    for (const [text, words] of [
      [JSON.stringify(letter()), 'Another request.'],
      ['[]', 'This is not one JSON object.'],
    ] as const) {
      await field.fill(text)
      await page.getByText(words).waitFor()
      await expect.poll(() => approve(page).isDisabled()).toBe(true)
      await expect.poll(() => deny(page).isEnabled()).toBe(true)
      await expect.poll(() => isAbove(page.getByText(words), approve(page))).toBe(true)
    }
    await field.fill(JSON.stringify(body, null, 2))
    await page.getByText('Same request').waitFor()
    await expect.poll(() => approve(page).isEnabled()).toBe(true)
    await expect.poll(() => filled.allInnerTexts()).toEqual(['Approve request'])
    expect(sent).toEqual([])
  })

  it('shows on a phone, without scrolling, who asks for what, and the act', async () => {
    await blocked()
    const { key } = await ask<{ key: string }>('POST', '/api/keys', { name: 'Own' }, await sessionOf(enterprise))
    const own = await blocked(key)
    const page = await pageOf(enterprise)
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, '/app/approvals')
    const asks = card(page).getByRole('heading', { name: /^Key .+ asks for gpt-4.1-mini$/ })
    for (const what of [asks, card(page).getByText('made the key'), approve(page), deny(page), passOn(page)])
      await expect.poll(() => isInSight(what)).toBe(true)
    await waiting(page).getByRole('button', { name: 'Next request' }).click()
    await waiting(page)
      .getByText(/^Waiting: 2 of \d+$/)
      .waitFor()

    await open(page, addressOf(own.id))
    await card(page).getByText('You', { exact: true }).waitFor()
    await expect.poll(() => isInSight(card(page).getByRole('button', { name: 'Copy link' }))).toBe(true)
  })

  it('where there is none, is drawn as it will be, with the way to the rule for those who may change it', async () => {
    const page = await pageOf(enterprise)
    await changeAnswers(page, '**/api/approvals?*', (list) => ({ ...list, data: [], has_more: false }))
    await open(page, '/app/approvals?state=expired')
    await page.getByRole('heading', { name: 'Nothing waits' }).waitFor()
    await page.getByText('No past request is “Expired”.').waitFor()
    const way = page.getByRole('link', { name: 'Say what needs approval' })
    await expect.poll(() => way.getAttribute('href')).toBe('/app/policies#human_approval')
    await showRole(page, 'clinician')
    await open(page, '/app/approvals')
    await page.getByText('No past request. It will be here').waitFor()
    await expect.poll(() => way.count()).toBe(0)
  })

  it('counts down to its end', async () => {
    const { id } = await blocked()
    const page = await openEnding(id)
    await page.clock.runFor(3_000)
    await card(page).getByText('nobody can decide it any more').waitFor()
    await approve(page).waitFor({ state: 'detached' })
  })

  it('that was withdrawn has in the history who put the policy in force that did it', async () => {
    const { id } = await blocked()
    const another = { ...LETTERS, withdraw_waiting: true, model_allowlist: { models: ['gpt-4.1-mini'] } }
    await ask('PUT', '/api/policies', another, await sessionOf(enterprise))
    await ask('GET', `/api/approvals/${id}`, undefined, await sessionOf(enterprise))
    const page = await open(enterprise, '/app/approvals?state=withdrawn')
    await page
      .getByRole('cell', { name: /^.+, policy version \d+$/ })
      .first()
      .waitFor()
    await expect.poll(() => page.getByRole('row', { name: /letters [0-9a-f]{8} Withdrawn/ }).count()).not.toBe(0)
    const states = page.getByRole('group', { name: 'State' }).getByRole('link')
    const words = ['Approved', 'Ran', 'Denied', 'Expired', 'Withdrawn']
    await expect.poll(() => states.allInnerTexts()).toEqual(['All', ...words])
    const document = await (await fetch(`${origin}/docs/ask-for-approval`)).text()
    expect([...words, 'Waiting', 'Running'].filter((word) => !document.includes(word))).toEqual([])
  })
})

describe('a press', () => {
  it('of Approve asks where nothing was compared: it leads to the field, and then asks no more', async () => {
    const { body, id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    await page.getByText('or ask the operator, who made its key').waitFor()
    await approve(page).click()
    await question(page)
      .getByText(/^Approve gpt-4.1-mini for letters, asked by .+ of the operator\?$/)
      .waitFor()
    await expect.poll(() => focused(page)).toBe('Compare first')
    await page.keyboard.press('Enter')
    await page.locator('textarea.code:focus').waitFor()
    await page.getByLabel('Paste the request').fill(JSON.stringify(body))
    await approve(page).click()
    await undo(page).click()
    await page.getByLabel('Paste the request').fill('')
    await deny(page).click()
    await undo(page).waitFor()
    expect([await page.locator('dialog, .toast').count(), await decisionsOf(id)]).toEqual([0, []])
  })

  it.each([
    ['Approve request', 'Approved', 'a press of Undo', (page: Page) => undo(page).click()],
    ['Deny request', 'Denied', 'Escape', (page: Page) => page.keyboard.press('Escape')],
    ['Pass on', 'Passed on', 'Enter, as Undo has the focus', (page: Page) => page.keyboard.press('Enter')],
  ])('of %s, “%s”, is undone within five seconds by %s: nothing is sent', async (button, words, _, act) => {
    const { body, id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    const sent = pathsOf(page)
    await page.getByLabel('Paste the request').fill(JSON.stringify(body))
    await page.getByLabel('Reason').fill('Not yet.')
    await page.getByRole('button', { name: button }).click()
    await expect.poll(() => focused(page)).toBe('Undo')
    await expect.poll(() => card(page).getByRole('status').allTextContents()).toContain(`${words}: signed in 5 seconds`)
    await page.clock.runFor(4_900)
    await card(page).getByText(`${words}: signed in 1 s`).waitFor()
    await act(page)
    await page.getByText('Your decision was not sent.').waitFor()
    await expect.poll(() => focused(page)).toBe(button)
    await page.clock.runFor(10_000)
    await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('Not yet.')
    expect([sent, await decisionsOf(id)]).toEqual([[], []])
  })

  it('signs nothing if another request is opened meanwhile, and says so', async () => {
    const [{ id }, other] = [await blocked(), await blocked()]
    const page = await openPaused(enterprise, addressOf(id))
    await passOn(page).click()
    await undo(page).waitFor()
    await waiting(page)
      .locator(`a[href="${addressOf(other.id)}"]`)
      .click()
    await page.getByText('Your decision was not sent.').waitFor()
    await approve(page).waitFor()
    await page.clock.runFor(10_000)
    expect([await decisionsOf(id), await decisionsOf(other.id)]).toEqual([[], []])
  })

  it('keeps what was typed where a return to the page cannot read the request again', async () => {
    const { id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id), { provoked: /net::ERR_FAILED/ })
    await page.getByLabel('Reason').fill('Not yet.')
    const [list, one] = ['**/api/approvals?*', `**/api/approvals/${id}`]
    for (const path of [list, one]) await page.route(path, (route) => route.abort())
    const failed = [`approvals?state=pending`, id].map((text) =>
      page.waitForEvent('requestfailed', (request) => request.url().includes(text)),
    )
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await Promise.all(failed)
    await expect.poll(() => page.getByLabel('Reason').inputValue({ timeout: 1_000 })).toBe('Not yet.')
    for (const path of [list, one]) await page.unroute(path)
    await sign(page, deny(page))
    await page.getByText('You denied it.').waitFor()
  })

  it('signs nothing if somebody else is seen to have decided meanwhile', async () => {
    const { id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    await passOn(page).click()
    await undo(page).waitFor()
    await ask('POST', `/api/approvals/${id}/decision`, { decision: 'deny' }, await sessionOf(enterprise))
    const sent = pathsOf(page)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await card(page).getByText('Denied', { exact: true }).waitFor()
    await page.getByText('Your decision was not sent.').waitFor()
    await page.clock.runFor(10_000)
    expect(sent.filter((path) => path.endsWith('/decision'))).toEqual([])
  })

  it('is sent though the request ends within the five seconds, so that the service answers', async () => {
    const { id } = await blocked()
    const page = await openEnding(id)
    await passOn(page).click()
    await undo(page).waitFor()
    await page.clock.runFor(5_000)
    await expect.poll(() => decisionsOf(id)).toMatchObject([{ decision: 'escalate' }])
  })

  it('has the browser ask before the page is left, and signs nothing then', async () => {
    const { id } = await blocked()
    const page = await openPaused(enterprise, addressOf(id))
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.accept()
    })
    await passOn(page).click()
    await undo(page).waitFor()
    await page.goto('/app/playground')
    expect([questions, await decisionsOf(id)]).toEqual([['beforeunload'], []])
  })
})

describe('a clinician', () => {
  it('sees the names of the key, of its maker and of who decided, without the lists of keys and members', async () => {
    const developer = await newMember(enterprise, 'developer', 'Maeve Maker')
    const clinician = await newMember(enterprise, 'clinician')
    const name = `Letters ${randomUUID()}`
    const { key } = await ask<{ key: string }>('POST', '/api/keys', { name }, await sessionOf(developer))
    const { id } = await blocked(key)
    const page = await pageOf(clinician)
    const sent = pathsOf(page)
    await open(page, addressOf(id))
    await card(page).getByText('Maeve Maker', { exact: true }).waitFor()
    await card(page).getByText(name).waitFor()
    await approve(page).click()
    await question(page).getByText(`asked by ${name} of Maeve Maker?`).waitFor()

    const admin = await newMember(enterprise, 'admin', 'Pat Passer')
    await ask('POST', `/api/approvals/${id}/decision`, { decision: 'deny' }, await sessionOf(admin))
    await open(page, addressOf(id))
    await card(page).getByText('Denied by Pat Passer').waitFor()
    await card(page).getByText(`Key ${name}, made by Maeve Maker`).waitFor()
    const row = (of: Page) => of.locator(`[data-row="${id}"]`).textContent()
    await expect.poll(() => row(page)).toMatch(new RegExp(`Pat Passer.*${name}$`))
    expect(sent).not.toContain('/api/keys')
    expect(sent).not.toContain('/api/members')
    await expect.poll(() => page.locator('main').innerText()).not.toContain('usr_')

    // An auditor gets no names of people, and tells them apart.
    const other = await open(await newMember(enterprise, 'auditor'), addressOf(id))
    await expect.poll(() => row(other)).toMatch(new RegExp(`Person ….{6}.*${name}$`))
    await card(other).getByText(`Key ${name}, made by a member`).waitFor()
    await card(other).getByText('Denied by a member').waitFor()
  })
})

describe('somebody who may not decide', () => {
  it('is who made the key that asks: the page says so, and the service refuses it', async () => {
    const page = await pageOf(enterprise)
    const name = `<img src=x onerror=alert(1)> ${randomUUID().slice(0, 4)}`
    const { key } = await ask<{ key: string }>('POST', '/api/keys', { name }, await sessionOf(enterprise))
    const { id } = await blocked(key)
    await open(page, addressOf(id))
    await card(page).getByText('made the key, and cannot decide.').waitFor()
    await card(page).getByRole('button', { name: 'Copy link' }).waitFor()
    await card(page).getByText(name).waitFor()
    await expect.poll(() => waiting(page).locator('[aria-current]').textContent()).toContain('You made the key')
    await expect.poll(() => approve(page).count()).toBe(0)
    await expect.poll(() => page.locator('img').count()).toBe(0)

    // A clinician can list no keys.
    await showRole(page, 'clinician')
    await open(page, addressOf(id))
    await card(page).getByText('made the key, and cannot decide.').waitFor()
    await expect.poll(() => approve(page).count()).toBe(0)
    const refused = ask('POST', `/api/approvals/${id}/decision`, { decision: 'approve' }, await sessionOf(enterprise))
    await expect(refused).rejects.toThrow('You made the key that asks for this')
  })

  it('is somebody with another role, who sees what waits', async () => {
    const { id } = await blocked()
    const page = await pageOf(enterprise)
    await showRole(page, 'auditor')
    await open(page, addressOf(id))
    await card(page).getByText('Owners, admins and clinicians decide.').waitFor()
    await expect.poll(() => approve(page).count()).toBe(0)
  })
})
