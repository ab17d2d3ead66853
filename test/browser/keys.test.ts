// The page of the keys: what is shown once, what cannot be undone, and what a role may not do.
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf, saved, showRole } from '../support/browser/acts.ts'
import { origin, ownerOn, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { ask } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const owner = service.owners['starter'] ?? service.filled.owner

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

/** Creates a key by the form, and leaves its secret on the page. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create key' }).click()
  return secretShown(page)
}

async function secretShown(page: Page): Promise<string> {
  return (await page.locator('.secret code').textContent()) ?? ''
}

/** Saves the secret as a file, and goes to the page of its key. */
async function store(page: Page): Promise<void> {
  await saved(page, 'Save as .env')
  await page.getByRole('button', { name: 'See the key' }).click()
  await page.getByRole('region', { name: 'Limits' }).waitFor()
}

const showList = (page: Page): Promise<void> => page.getByRole('link', { name: 'API keys' }).last().click()

const newName = (): string => `Ward ${randomUUID().slice(0, 8)}`

describe('a new key', () => {
  it('is shown once, and asks before it is left without being kept', async () => {
    const page = await open(owner, '/app/keys')
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`))
    const name = newName()
    const secret = await createKey(page, name)
    expect(secret).toMatch(/^aqta_[0-9A-Za-z]{60,}$/)
    await expect.poll(() => page.locator('.code pre').textContent()).toContain(`Bearer aqta_…${secret.slice(-4)}`)
    await showList(page)
    await page.getByRole('dialog', { name: 'Leave without the key?' }).waitFor()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.goBack()
    await page.getByRole('button', { name: 'Stay' }).click()
    await expect.poll(() => secretShown(page)).toBe(secret)

    const file = await saved(page, 'Save as .env')
    expect(file.text).toBe(`GATEWAY_KEY=${secret}\n`)
    await showList(page)
    await page.getByRole('link', { name }).waitFor()
    await page.goBack()
    await page.getByRole('region', { name: 'Limits' }).waitFor()
    await expect.poll(() => page.content()).not.toContain(secret)
    await expect
      .poll(() => page.evaluate('JSON.stringify([location.href, localStorage, sessionStorage, history.state])'))
      .not.toContain(secret)
    expect(sent.filter((request) => request.includes(secret))).toEqual([])
    await showList(page)
    await expect.poll(() => page.getByRole('row', { name }).textContent()).toContain(`aqta_…${secret.slice(-4)}`)
    expect(await statusWith(secret)).toBe(200)
  })

  it('comes with a call that runs as it is under the policy in force, and says when that has arrived', async () => {
    const page = await open(service.filled.owner, '/app/keys')
    const name = newName()
    await createKey(page, name)
    await page.getByText('Waiting for the first call of this key.').waitFor()
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }')
    await page.getByRole('button', { name: 'Copy A first call with the key' }).click()
    const { status, text } = await sendCurl(String(await page.evaluate('globalThis.copied')))
    expect([status, text]).toEqual([200, expect.stringContaining('"outcome":"ALLOWED"')])
    await page.getByText('First call arrived.').waitFor()
    const link = page.getByRole('link', { name: 'See the call', exact: true })
    const { aqta } = JSON.parse(text) as { aqta: { attestation: { attestation_id: string } } }
    await expect.poll(() => link.getAttribute('href')).toContain(aqta.attestation.attestation_id)
    await page.getByRole('region', { name: 'Signed record' }).getByText('Development key: unchanged').waitFor()

    await store(page)
    await page.getByRole('region', { name: 'Latest calls' }).getByText('Passed').waitFor()
    const id = new URL(page.url()).searchParams.get('id')
    await ask('DELETE', `/api/keys/${id}`, undefined, await sessionOf(service.filled.owner))
  })

  it('is refused at the member that is wrong, and what was typed stays', async () => {
    const page = await open(owner, '/app/keys', { provoked: refusedWith(400) })
    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Too fast')
    await page.getByLabel('Calls a minute').fill('1000000')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('Calls a minute').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Too fast')
  })

  it('for evaluation has an end, and is marked in the list and on its page', async () => {
    const page = await open(owner, '/app/keys?create=key')
    const name = newName()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('For evaluation').check()
    await expect.poll(() => page.getByLabel('Last day').inputValue()).not.toBe('')
    await page.getByRole('button', { name: 'Create key' }).click()
    await store(page)
    const limits = page.getByRole('region', { name: 'Limits' })
    await expect.poll(() => limits.textContent()).toContain('Loops are reported, not suppressed')
    await showList(page)
    await expect.poll(() => page.getByRole('row', { name }).textContent()).toContain('For evaluation')
  })

  it('has the data region that was chosen, until another is', async () => {
    const page = await open(owner, '/app/keys?create=key')
    const name = newName()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Data region').selectOption('EEA and Switzerland')
    await page.getByRole('button', { name: 'Create key' }).click()
    await store(page)
    const limits = page.getByRole('region', { name: 'Limits' })
    await expect.poll(() => limits.textContent()).toContain('EEA and Switzerland')
    await page.getByRole('button', { name: 'Change limits' }).click()
    await page.getByLabel('Data region').selectOption('EU')
    await page.getByRole('button', { name: 'Save' }).click()
    await showList(page)
    await expect.poll(() => page.getByRole('row', { name }).textContent()).toContain('EU only')
    await page.getByRole('link', { name }).click()
    await page.getByRole('button', { name: 'Change limits' }).click()
    await page.getByLabel('Data region').selectOption('The organisation’s rule')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => limits.textContent()).toContain('The organisation’s rule')
  })

  it('is asked for under the same idempotency key again where no answer came', async () => {
    const page = await pageOf(owner)
    const claims: (string | undefined)[] = []
    await page.route('**/api/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      claims.push(route.request().headers()['idempotency-key'])
      return route.abort()
    })
    await open(page, '/app/keys?create=key')
    await page.getByLabel('Name').fill('Lost')
    const send = page.getByRole('button', { name: 'Create key' })
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

    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name').fill(after)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: after }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: before }).waitFor()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name').fill(after)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: after }).waitFor()

    await page.getByRole('button', { name: 'Replace key' }).click()
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain('This cannot be undone.')
    await page.getByRole('button', { name: 'Make the new key' }).click()
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    await page.getByText('works on and ends').waitFor()
    const second = await secretShown(page)
    expect(second).not.toBe(first)
    expect(await Promise.all([statusWith(first), statusWith(second)])).toEqual([200, 200])
    await store(page)

    await page.getByRole('button', { name: 'Revoke key' }).click()
    const revoke = page.getByRole('button', { name: 'Revoke the key' })
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain('This cannot be undone.')
    await expect.poll(() => revoke.getAttribute('aria-disabled')).toBe('true')
    await revoke.click({ force: true })
    expect(await statusWith(second)).toBe(200)
    await page.getByLabel('Type the key’s name').fill(after)
    await revoke.click()
    await page.getByText(`${after} is revoked`).waitFor()
    expect(await Promise.all([statusWith(first), statusWith(second)])).toEqual([200, 401])

    await showList(page)
    await expect.poll(() => page.getByRole('row', { name: after }).textContent()).toContain('Being replaced')
    await page.getByRole('button', { name: /^Revoked \d/ }).click()
    await expect.poll(() => page.getByRole('row', { name: after }).textContent()).toContain(second.slice(-4))
    expect(new URL(page.url()).search).toBe('?status=revoked')
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

    await page.getByRole('button', { name: 'Change limits' }).click()
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(0)
    await page.getByLabel('Last day').fill('2099-12-31')
    await page.getByRole('checkbox', { name: `Also revoke 1 key that this key made: ${made}` }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Saved. 1 key that it made still at work: ${made}`).waitFor()
    expect(await statusWith(first.key)).toBe(200)

    await page.getByRole('button', { name: 'Revoke key' }).click()
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain(`are revoked with it: ${made}`)
    await page.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Replace key' }).click()
    await page.getByRole('checkbox', { name: 'Also revoke 1 key' }).check()
    await page.getByRole('button', { name: 'Make the new key' }).click()
    await page.getByText(`1 key that it made revoked: ${made}`).waitFor()
    expect(await statusWith(first.key)).toBe(401)
  })

  it('that was rotated elsewhere meanwhile is shown as what it is by then', async () => {
    const page = await open(owner, '/app/keys', { provoked: refusedWith(409) })
    const { id } = await ask<{ id: string }>('POST', '/api/keys', { name: newName() }, await sessionOf(owner))
    await open(page, `/app/keys?id=${id}`)
    await page.getByRole('button', { name: 'Replace key' }).click()
    await ask('POST', `/api/keys/${id}/rotate`, { overlap_seconds: 3600 }, await sessionOf(owner))
    await page.getByRole('button', { name: 'Make the new key' }).click()
    await page.getByText('This key was rotated').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#lead').getByText('Being replaced').waitFor()
    await page.getByRole('button', { name: 'Replace key' }).waitFor({ state: 'detached' })
  })

  it('that there is not is said in words', async () => {
    const page = await open(owner, '/app/keys?id=key_00000000-0000-7000-8000-000000000000', {
      provoked: refusedWith(404),
    })
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

describe('a key that needs a person', () => {
  const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
  const old = { created_at: ago(200), status: 'active', replaced_by: null, revoked_at: null }

  it.each([
    [
      '1 key never expires and is unused.',
      { ...old, expires_at: null, last_used_at: ago(96.5) },
      'last used 96 days ago',
    ],
    ['1 key ends soon.', { ...old, expires_at: ago(-4.5), last_used_at: ago(1) }, 'ends in 4 days'],
  ])('is named above the list, with a link to it: %s', async (title, changed, text) => {
    const page = await pageOf(owner)
    await changeAnswers<{ data: object[] }>(page, /\/api\/keys\?/, ({ data: [first, ...others], ...list }) => ({
      ...list,
      data: [{ ...first, name: 'Coding pilot', ...changed }, ...others],
    }))
    await open(page, '/app/keys')
    await page.getByText(title).waitFor()
    await page.getByText(text).waitFor()
    await page.getByRole('link', { name: 'Review the key' }).click()
    await page.getByRole('region', { name: 'Limits' }).waitFor()
  })
})

describe('the list', () => {
  type Listed = { data: { name: string; expires_at: string | null; created_at: string; last_used_at: string | null }[] }
  const now = Date.now()
  const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString()
  const names = (page: Page) => page.getByRole('table').getByRole('link').allTextContents()

  it('has the key that was used last first, those without an end alone where asked, and the playground’s apart', async () => {
    const page = await pageOf(owner)
    await changeAnswers<Listed>(page, /\/api\/keys\?/, ({ data: [first], ...list }) => {
      const of = { ...first, status: 'active', created_at: at(-500), replaced_by: null, revoked_at: null }
      const data = [
        { ...of, id: 'key_1', name: 'Unused', expires_at: null, last_used_at: null },
        { ...of, id: 'key_2', name: 'Used', expires_at: at(600_000), last_used_at: at(-9) },
        { ...of, id: 'key_3', name: 'Used now', expires_at: null, last_used_at: at(-1) },
        { ...of, id: 'key_4', name: 'Playground', created_at: at(-5), expires_at: at(55), last_used_at: at(-4) },
      ]
      return { ...list, data }
    })
    await open(page, '/app/keys')
    await expect.poll(() => names(page)).toEqual(['Used now', 'Used', 'Unused'])
    await expect.poll(() => page.locator('#lead').textContent()).toContain('3 keys in force.')
    await page.getByRole('link', { name: 'Show these 2' }).click()
    await expect.poll(() => names(page)).toEqual(['Used now', 'Unused'])
    await page.getByRole('button', { name: 'Temporary 1' }).click()
    await expect.poll(() => names(page)).toEqual(['Playground'])
  })
})

describe('a budget of nothing', () => {
  it('is used up, with its bar, in the list and on the page of the key; the list says who made it', async () => {
    const page = await pageOf(service.filled.owner)
    await changeAnswers<{ document: object }>(page, '**/api/policies', (policy) => ({
      ...policy,
      document: { budget_guard: { key_month_eur: 0 } },
    }))
    await open(page, '/app/keys')
    const row = page
      .getByRole('row')
      .filter({ has: page.locator('.meter') })
      .first()
    await expect.poll(() => row.textContent()).toMatch(/by \S.*100% of €0\.00/)
    await row.getByRole('link').click()
    const use = page.getByRole('region', { name: 'Use of the key' })
    await use.getByText('100% of €0.00').waitFor()
    await expect.poll(() => use.locator('.meter').count()).toBe(1)
  })
})

describe('a role', () => {
  it('that may only read makes and changes no key, and is told so', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'auditor')
    await open(page, '/app/keys')
    await page.getByText('Your role may see keys').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Create a key' }).count()).toBe(0)
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('region', { name: 'Limits' }).waitFor()
    await expect
      .poll(() =>
        page
          .locator('main')
          .getByRole('button', { name: /create|replace|revoke|rename|change/i })
          .count(),
      )
      .toBe(0)
    await open(page, '/app/keys?create=key')
    await page.getByText('Your role may see keys').waitFor()
  })

  it('changes a key of its own only, where its role has no more', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'developer')
    await open(page, '/app/keys')
    const own = newName()
    await createKey(page, own)
    await store(page)
    await page.getByRole('button', { name: 'Revoke key' }).waitFor()
    await showList(page)
    await page.getByRole('link', { name: 'Local aqta_ key' }).click()
    await page.getByText('Made by the operator').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Revoke key' }).count()).toBe(0)
  })
})

describe('a tier without figures', () => {
  it('lists keys and shows one, and is asked for none', async () => {
    const page = await pageOf(ownerOn('free'))
    const asked = pathsOf(page)
    await open(page, '/app/keys')
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('region', { name: 'Rules for this key' }).waitFor()
    await page.getByText('of the last 50 of all keys').waitFor()
    expect(asked.filter((path) => path.startsWith('/api/analytics'))).toEqual([])
  })
})

/** Sends the request of a curl command. */
async function sendCurl(command: string): Promise<{ status: number; text: string }> {
  const headers = [...command.matchAll(/-H ["']([^:]+): ([^"']+)["']/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const [, url = ''] = /^curl -s (\S+)/.exec(command) ?? []
  const [, body = ''] = /-d '([^']+)'/.exec(command) ?? []
  const answer = await fetch(url, {
    method: 'POST',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  })
  return { status: answer.status, text: await answer.text() }
}
