// The front page: its lines of code run as they are, and its example of a record has a seal only once it is checked.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { pageOf, service } from '../support/browser/browser.ts'
import EXAMPLES from '../../data/examples.json' with { type: 'json' }

const NODE = [process.execPath, '--input-type=module', '-e'] as const

describe('the code', () => {
  it('is of this service, in the language that was chosen last, and the arrows walk the languages', async () => {
    const page = await pageOf(null)
    await page.goto('/')
    const [reading, gateway] = [page.locator('#reading-code'), page.locator('#gateway-code')]
    await gateway.getByRole('tab', { name: 'Python' }).click()
    await expect.poll(() => gateway.locator('pre').innerText()).toContain(`base_url="${service.origin}/v1"`)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => gateway.locator('pre').innerText()).toContain(`baseURL: '${service.origin}/v1'`)
    for (const name of ['Answer', 'curl']) {
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => gateway.getByRole('tab', { name }).getAttribute('aria-selected')).toBe('true')
    }
    await gateway.getByRole('tab', { name: 'Node' }).click()
    await page.reload()
    await expect.poll(() => reading.getByRole('tab', { selected: true }).innerText()).toBe('Node')
  })

  it.each([
    { tool: '#reading-code', path: '/v1/referral/read', key: service.sandboxKey, body: { text: EXAMPLES[0]?.text } },
    {
      tool: '#gateway-code',
      path: '/v1/chat/completions',
      key: service.owners['free']?.key ?? '',
      body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Name three towns.' }] },
    },
  ])('of $tool shows an answer whose members the service gives', async ({ tool, path, key, body }) => {
    const page = await pageOf(null)
    await page.goto('/')
    await page.locator(tool).getByRole('tab', { name: 'Answer' }).click()
    const shown: unknown = JSON.parse(await page.locator(tool).locator('pre').innerText())
    const given = await fetch(`${service.origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(await given.json()).toMatchObject(shown as object)
  })

  it.each([
    { tool: '#reading-code', language: 'Python', command: ['python3', '-c'] as const, prints: 'yes Cardiology' },
    { tool: '#reading-code', language: 'Node', command: NODE, prints: 'yes Cardiology' },
    { tool: '#gateway-code', language: 'curl', command: ['sh', '-c'] as const, prints: '"attestation":{' },
    { tool: '#gateway-code', language: 'Node', command: NODE, prints: 'signature' },
  ])('of $tool in $language runs as it is', async ({ tool, language, command: [program, ...options], prints }) => {
    const page = await pageOf(null)
    await page.goto('/')
    await page.locator(tool).getByRole('tab', { name: language }).click()
    const code = await page.locator(tool).locator('pre').innerText()
    const keys = { KEY: service.sandboxKey, GATEWAY_KEY: service.owners['free']?.key }
    const { stdout } = await promisify(execFile)(program, [...options, code], { env: { ...process.env, ...keys } })
    expect(stdout).toContain(prints)
  })
})

describe('the example of a signed record', () => {
  it('has a seal only after it was checked', async () => {
    const page = await pageOf(null)
    await page.goto('/')
    const record = page.getByRole('region', { name: 'Signed record' })
    await record.getByText('Not checked yet').waitFor()
    await expect.poll(() => record.locator('.seal').count()).toBe(0)
    await record.getByRole('button', { name: 'Check this record' }).click()
    await record.getByText('Signature valid. Checked in this browser.').waitFor()
    await expect.poll(() => record.locator('.seal').count()).toBe(1)
  })

  it('says that the checker cannot be loaded, and can be asked again', async () => {
    const page = await pageOf(null, { provoked: /ERR_FAILED/ })
    await page.route('**/check-example*.js', (route) => route.abort())
    await page.goto('/')
    const record = page.getByRole('region', { name: 'Signed record' })
    await record.getByRole('button', { name: 'Check this record' }).click()
    await record.getByText('The checker could not be loaded.').waitFor()
    await expect.poll(() => record.locator('.seal').count()).toBe(0)
    await expect.poll(() => record.getByRole('button').isEnabled()).toBe(true)
  })
})
