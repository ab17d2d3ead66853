// The page of the keys: what is shown once, what cannot be undone, and what a role may not do.
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { showRole } from '../support/browser/acts.ts'
import { origin, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask } from '../support/browser/people.ts'

const owner = service.owners['starter'] ?? service.filled.owner

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

/** Asks for a key by the dialog, and leaves the secret open. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create the key' }).click()
  return secretShown(page)
}

async function secretShown(page: Page): Promise<string> {
  return (await page.getByRole('dialog').locator('pre').first().textContent()) ?? ''
}

const store = (page: Page): Promise<void> => page.getByRole('button', { name: 'I have stored it' }).click()

const newName = (): string => `Ward ${randomUUID().slice(0, 8)}`

describe('a new key', () => {
  it('is shown once, until somebody says that it is stored', async () => {
    const page = await open(owner, '/app/keys')
    const name = newName()
    const secret = await createKey(page, name)
    expect(secret).toMatch(/^aqta_[0-9A-Za-z]{60,}$/)
    await expect.poll(() => page.getByRole('dialog').locator('pre').nth(1).textContent()).toContain(`Bearer ${secret}`)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true)

    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`))
    await store(page)
    await page.getByRole('link', { name }).waitFor()
    await page.getByRole('link', { name }).click()
    await page.getByText('Begins and ends with').waitFor()
    await page.goBack()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => page.content()).not.toContain(secret)
    await expect
      .poll(() => page.evaluate('JSON.stringify([location.href, localStorage, sessionStorage, history.state])'))
      .not.toContain(secret)
    expect(sent.filter((request) => request.includes(secret))).toEqual([])
    await expect.poll(() => page.getByRole('row', { name }).textContent()).toContain(`aqta_…${secret.slice(-4)}`)
    expect(await statusWith(secret)).toBe(200)
  })

  it('is refused at the member that is wrong, and what was typed stays', async () => {
    const page = await open(owner, '/app/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Too fast')
    await page.getByText('Its end and limits of its own').click()
    await page.getByLabel('Requests a minute').fill('1000000')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('Requests a minute').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Too fast')
  })

  it('is asked for under the same idempotency key again where no answer came', async () => {
    const page = await pageOf(owner)
    const claims: (string | undefined)[] = []
    await page.route('**/api/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      claims.push(route.request().headers()['idempotency-key'])
      return route.abort()
    })
    await open(page, '/app/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Lost')
    const send = page.getByRole('button', { name: 'Create the key' })
    await send.click()
    await page.getByText('could not be reached').waitFor()
    await send.click()
    await expect.poll(() => claims.length).toBe(2)
    await page.getByLabel('Name').fill('Lost and changed')
    await send.click()
    await expect.poll(() => claims.length).toBe(3)
    expect(claims[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect([claims[1] === claims[0], claims[2] === claims[0]]).toEqual([true, false])
  })
})

describe('a key', () => {
  it('is renamed, rotated with an end for the old one, and revoked once its name is typed', async () => {
    const page = await open(owner, '/app/keys')
    const [before, after] = [newName(), newName()]
    const first = await createKey(page, before)
    await store(page)
    await page.getByRole('link', { name: before }).click()

    await page.getByRole('button', { name: 'Rename or limit' }).click()
    await page.getByLabel('Name').fill(after)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: after }).waitFor()

    await page.getByRole('button', { name: 'Rotate' }).click()
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain('This cannot be undone.')
    await page.getByRole('button', { name: 'Make the new key' }).click()
    await page.getByRole('heading', { name: 'The new key' }).waitFor()
    const second = await secretShown(page)
    expect(second).not.toBe(first)
    expect(await Promise.all([statusWith(first), statusWith(second)])).toEqual([200, 200])
    await store(page)

    await page.getByRole('button', { name: 'Revoke' }).click()
    const revoke = page.getByRole('button', { name: 'Revoke the key' })
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain('This cannot be undone.')
    await expect.poll(() => revoke.getAttribute('aria-disabled')).toBe('true')
    await revoke.click({ force: true })
    expect(await statusWith(second)).toBe(200)
    await page.getByLabel('Type the key’s name').fill(after)
    await revoke.click()
    await page.getByText(`${after} is revoked`).waitFor()
    expect(await Promise.all([statusWith(first), statusWith(second)])).toEqual([200, 401])

    await page.getByRole('link', { name: 'All keys' }).click()
    await page.getByLabel('Show', { exact: true }).selectOption('all')
    await expect.poll(() => page.getByRole('row', { name: after }).allTextContents()).toHaveLength(2)
    const rows = (await page.getByRole('row', { name: after }).allTextContents()).join(' ')
    expect(rows).toContain('Being replaced')
    expect(rows).toContain('Revoked')
    expect(new URL(page.url()).search).toBe('?status=all')
  })

  it('that made others shows them when it is to end, and revokes them with it where that is ticked', async () => {
    const page = await pageOf(owner)
    const [name, made] = [newName(), newName()]
    const scopes = ['chat', 'manage']
    const { id, key } = await ask<{ id: string; key: string }>(
      'POST',
      '/api/keys',
      { name, scopes },
      await sessionOf(owner),
    )
    const makeOne = async () =>
      (await fetch(`${origin}/api/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: made }),
      }).then((answer) => answer.json())) as { key: string }
    const first = await makeOne()
    await open(page, `/app/keys?id=${id}`)

    await page.getByRole('button', { name: 'Rename or limit' }).click()
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(0)
    await page.getByLabel('Last day on which it works').fill('2099-12-31')
    await page.getByRole('checkbox', { name: `Also revoke 1 key that this key made: ${made}` }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Saved. 1 key that it made still at work: ${made}`).waitFor()
    expect(await statusWith(first.key)).toBe(200)

    await page.getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain(`are revoked with it: ${made}`)
    await page.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('checkbox', { name: 'Also revoke 1 key' }).check()
    await page.getByRole('button', { name: 'Make the new key' }).click()
    await page.getByText(`1 key that it made revoked: ${made}`).waitFor()
    expect(await statusWith(first.key)).toBe(401)
  })

  it('that was rotated elsewhere meanwhile is shown as what it is by then', async () => {
    const page = await open(owner, '/app/keys')
    const { id } = await ask<{ id: string }>('POST', '/api/keys', { name: newName() }, await sessionOf(owner))
    await open(page, `/app/keys?id=${id}`)
    await page.getByRole('button', { name: 'Rotate' }).click()
    await ask('POST', `/api/keys/${id}/rotate`, { overlap_seconds: 3600 }, await sessionOf(owner))
    await page.getByRole('button', { name: 'Make the new key' }).click()
    await page.getByText('This key was rotated').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('dl').getByText('Being replaced').waitFor()
    await page.getByRole('button', { name: 'Rotate' }).waitFor({ state: 'detached' })
  })

  it('that there is not is said in words', async () => {
    const page = await open(owner, '/app/keys?id=key_00000000-0000-7000-8000-000000000000')
    await page.getByText('This organisation has no key with this id.').waitFor()
  })

  it('has an address of its own, which takes the focus to what was opened', async () => {
    const page = await open(owner, '/app/keys')
    const link = page.getByRole('table').getByRole('link').first()
    const name = (await link.textContent()) ?? ''
    await link.click()
    const heading = page.getByRole('heading', { name })
    await heading.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name)
    const address = page.url()
    await page.goBack()
    await link.waitFor()
    await expect.poll(() => page.evaluate('location.search')).toBe('')
    await open(page, address)
    await heading.waitFor()
    await expect.poll(() => page.getByRole('table').isVisible()).toBe(false)
  })
})

describe('a role', () => {
  it('that may only read makes and changes no key, and is told so', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'auditor')
    await open(page, '/app/keys')
    await page.getByText('Your role may see keys').waitFor()
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByText('Begins and ends with').waitFor()
    await expect
      .poll(() =>
        page
          .locator('main')
          .getByRole('button', { name: /create|rotate|revoke|rename/i })
          .count(),
      )
      .toBe(0)
  })

  it('changes a key of its own only, where its role has no more', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'developer')
    await open(page, '/app/keys')
    const own = newName()
    await createKey(page, own)
    await store(page)
    await page.getByRole('link', { name: own }).click()
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    await page.getByRole('link', { name: 'All keys' }).click()
    await page.getByRole('link', { name: 'Local aqta_ key' }).click()
    await page.getByText('the operator').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  })
})
