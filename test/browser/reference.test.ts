// The reference shows all that the OpenAPI document says, makes nothing but text of it, and sends a request where somebody tries one.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import {
  collectSchemaNames,
  operationsOf,
  resolveReference,
  schemasOf,
  type ApiDocument,
} from '../../src/pages/reference/openapi-document.ts'
import { referencePagesOf } from '../../scripts/pages/reference-pages.ts'
import { bodyOf, curlLine } from '../../src/pages/reference/request-samples.ts'
import { origin, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { ask, keyOf, ownOrganisation } from '../support/browser/people.ts'
import { open } from '../support/browser/pages.ts'

const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as ApiDocument
const api = inlineReferences(document)
const operations = operationsOf(api)
const pages = referencePagesOf(document)
const run = promisify(execFile)

/** Opens every fold of a schema once, since some schemas are made of themselves, and tells all that is then said. */
const OPEN_ALL = `(async () => {
  const opened = new Set()
  const found = []
  for (let round = 0; round < 40; round++) {
    const folds = [...document.querySelectorAll('#island details:not([open])')].filter((fold) => {
      const named = fold.closest('dd, li')?.querySelector('p.small')?.textContent ?? ''
      const isSchema = /^[A-Z]|list of [A-Z]|or [A-Z]/.test(named) && fold.closest('.members') !== null
      if (!isSchema) return true
      if (opened.has(named)) return false
      opened.add(named)
      return true
    })
    if (folds.length === 0) break
    for (const fold of folds) fold.open = true
    await new Promise((resolve) => setTimeout(resolve, 0))
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return document.querySelector('main').textContent
})()`

describe('the reference', () => {
  it('has a page for every operation, with its parameters, its statuses, its codes and the schemas of them', () => {
    const incomplete = operations.flatMap((operation) => {
      const { operationId, method, path, summary, parameters = [], responses } = operation
      const html = pages.get(`reference/${operationId}.html`) ?? ''
      const names = new Set<string>()
      for (const schema of schemasOf(operation)) collectSchemaNames(api, schema, names)
      return [
        `<h1>${summary}</h1>`,
        `>${method.toLowerCase()}</span> <code>${path}</code>`,
        ...parameters.map(({ name }) => `"name":"${name}"`),
        ...Object.keys(responses).map((status) => `"${status}":{`),
        ...Object.values(responses).flatMap((one) => one['x-error-codes'] ?? []),
        ...[...names].map((name) => `"${name}":{`),
      ].filter((words) => !html.includes(words))
    })
    expect(incomplete).toEqual([])
  })

  it.each(['createChatCompletion', 'readReferral', 'exportAuditLogs'])(
    'shows of %s all that the document says of it',
    async (id) => {
      const operation = operations.find(({ operationId }) => operationId === id)
      if (operation === undefined) throw new Error(`no operation is called ${id}`)
      const page = await open(null, `/reference/${id}`)
      const said = await page.evaluate<string>(OPEN_ALL)
      const { parameters = [], responses } = operation
      const names = new Set<string>()
      for (const schema of schemasOf(operation)) collectSchemaNames(api, schema, names)
      const missing = [
        ...parameters.map(({ name }) => name),
        ...Object.keys(responses),
        ...Object.values(responses).flatMap((one) => one['x-error-codes'] ?? []),
        ...Object.values(responses).flatMap(({ headers = {}, content = {} }) =>
          Object.keys({ ...headers, ...content }),
        ),
        ...names,
      ].filter((words) => !said.includes(words))
      expect(missing).toEqual([])
    },
  )

  it.each(operations.filter(({ requestBody }) => requestBody !== undefined))(
    'shows of $operationId a body as its schema asks for it',
    (operation) => {
      const ajv = new Ajv2020({ strict: false, allErrors: true })
      ;(addFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv)
      const schema = operation.requestBody?.content['application/json']?.schema
      const validate = ajv.compile({ ...schema, components: document.components })
      const body = bodyOf(document, operation)
      validate(body)
      expect(validate.errors).toBeNull()
      expect(JSON.stringify(body)).not.toContain('…')
    },
  )

  it('gives lines that work as they stand, with a key of the kind that they name', async () => {
    const organisation = await ownOrganisation()
    const settings = { enabled_providers: ['openai', 'anthropic'] }
    await ask('PATCH', '/api/settings', settings, await sessionOf(organisation.owner))
    const variables = { ...process.env, KEY: service.sandboxKey, GATEWAY_KEY: await keyOf(organisation) }
    // A choice takes the signed reading of a letter of one's own.
    const asked = operations.filter(
      ({ path, operationId }) => path.startsWith('/v1/') && !path.includes('{') && operationId !== 'recordOutcome',
    )
    const refused = await Promise.all(
      asked.map(async (operation) => {
        const line = curlLine(document, origin, operation).replace(
          'curl -s',
          'curl -sf --retry 2 --retry-all-errors -o /dev/null',
        )
        const failed: unknown = await run('sh', ['-c', line], { env: variables }).catch(() => line)
        return failed === line ? operation.operationId : null
      }),
    )
    expect(asked.length).toBeGreaterThan(10)
    expect(refused.filter((id) => id !== null)).toEqual([])
  })

  it('says from where a line comes that signs in, and keeps its session', () => {
    const lineOf = (path: string): string =>
      operations
        .filter((one) => one.path === path)
        .map((one) => curlLine(document, origin, one))
        .join('\n')
    expect(lineOf('/api/auth/login')).toContain(`-b cookies.txt -c cookies.txt \\\n  -H 'origin: ${origin}'`)
    expect(lineOf('/api/auth/me')).toContain('-b cookies.txt')
    expect(lineOf('/api/keys')).toContain('Bearer $MANAGEMENT_KEY')
  })

  it('leads from an old address to the page of the operation', async () => {
    const page = await pageOf(null)
    await page.goto('/reference#listKeys')
    await page.waitForURL('**/reference/listKeys')
    await page.getByRole('link', { name: /keys/i }).and(page.locator('[aria-current=page]')).waitFor()
    await page.goto('/reference#no-such-operation')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('API reference')
  })

  it('says where paths begin, and lists last what only the operator calls', async () => {
    const page = await open(null, '/reference')
    await expect.poll(() => page.getByLabel('Base URL').innerText()).toBe(origin)
    await page.getByText(`${origin}/v1`, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy the base URL' }).waitFor()
    const operator = page.getByRole('region', { name: 'For operators' })
    await operator.getByRole('heading', { name: 'Operator', exact: true }).waitFor()
    await expect.poll(() => page.locator('main .folds > details[open] h3').allInnerTexts()).toEqual(['Referral'])
    await page.getByRole('searchbox', { name: 'Find an operation in this list' }).fill('api/keys list')
    await page.getByRole('main').getByRole('link', { name: 'List keys' }).waitFor()
    await page.getByText('1 operation', { exact: true }).waitFor()
    await operator.waitFor({ state: 'hidden' })
    await page.getByRole('searchbox', { name: 'Find an operation in this list' }).fill('zebra')
    await page.getByText('No operation has this.').waitFor()
  })

  it('describes every field of a body that a caller meets first, before its example', async () => {
    const fields = ['ChatCompletionRequest', 'ResponsesRequest'].flatMap((name) =>
      Object.entries(document.components.schemas[name]?.properties ?? {}).map(
        ([field, schema]) => [`${name}.${field}`, resolveReference(document, schema).description] as const,
      ),
    )
    expect(fields.filter(([, description]) => description === undefined)).toEqual([])
    const page = await open(null, '/reference/createChatCompletion')
    const model = page.locator('.params dd').first()
    await expect.poll(() => model.innerText()).toMatch(/An id of [^]+Example "gpt-4\.1-mini"/)
  })

  it('makes nothing but text of what the document says', () => {
    const hostile = '<img src=x onerror=alert(1)></script><script>alert(1)</script> **<b>bold</b>**'
    const html = [
      ...referencePagesOf({
        ...document,
        info: { ...document.info, description: hostile },
        paths: {
          '/v1/<b>': {
            get: {
              operationId: 'hostile',
              tags: ['Keys'],
              summary: hostile,
              description: hostile,
              security: [],
              responses: {},
            },
          },
        },
      }).values(),
    ].join('\n')
    expect(html).toContain('&lt;img src=x')
    expect(html).not.toMatch(/<img|<b>bold|<script>alert/)
  })

  it('says without JavaScript where the document is', async () => {
    const page = await pageOf(null, { javaScript: false })
    await page.goto('/reference/listKeys')
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/\/api\/keys[^]+shown by JavaScript[^]+OpenAPI document/)
  })
})

describe('a request sent from the page', () => {
  const form = (page: Page) => page.getByRole('form', { name: 'Try it' })

  it('takes the reader’s key, keeps it in this tab alone, and shows the answer', async () => {
    const key = await keyOf(await ownOrganisation())
    const page = await open(null, '/reference/createChatCompletion')
    await page.getByRole('button', { name: 'Try it' }).click()
    await form(page).getByLabel('Key').fill(key)
    await form(page).getByRole('button', { name: 'Send' }).click()
    await form(page).getByText('Response 200').waitFor()
    await expect.poll(() => form(page).locator('pre').innerText()).toContain('"attestation"')
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, location.href])')
    expect(kept).not.toContain(key)
    await page.goto('/reference/createResponse')
    await page.getByRole('button', { name: 'Try it' }).click()
    await expect.poll(() => form(page).getByLabel('Key').inputValue()).toBe(key)
  })

  it('is sent with the sandbox key that the site shares where no key is typed', async () => {
    const page = await open(null, '/reference/readReferral')
    await page.route('**/v1/sandbox-key', (route) => route.fulfill({ json: { key: service.sandboxKey } }))
    await page.getByRole('button', { name: 'Try it' }).click()
    await form(page).getByRole('button', { name: 'Send' }).click()
    await form(page).getByText('Response 200').waitFor()
  })

  it('is sent as the person who has signed in, or with a key made for an hour, which ends with the session', async () => {
    const { owner } = await ownOrganisation()
    // The overview is left while it still asks.
    const page = await open(owner, '/reference/listSessions', { provoked: /401/ })
    const send = async (status: number): Promise<void> => {
      await page.getByRole('button', { name: 'Try it' }).click()
      await form(page).getByRole('button', { name: 'Send' }).click()
      await form(page).getByText(`Response ${status}`).waitFor()
    }
    await send(200)
    await page.goto('/reference/createChatCompletion')
    await send(200)
    const key = await form(page).getByLabel('Key').inputValue()
    expect(key).toMatch(/^aqta_/)
    await page.goto('/app')
    await page.getByRole('button', { name: / account of / }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/sign-in**')
    expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).not.toContain(key)
    const refused = await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect(refused.status).toBe(401)
  })

  it('shows a refusal as it came, with the id of the request', async () => {
    const page = await pageOf(null, { provoked: /401/ })
    await page.goto('/reference/listKeys')
    await page.getByRole('button', { name: 'Try it' }).click()
    await form(page).getByLabel('Key').fill('aqta_wrong')
    await page.keyboard.press('Enter')
    await form(page).getByText('Response 401').waitFor()
    await expect.poll(() => form(page).innerText()).toMatch(/invalid_api_key[^]+Request req_/)
    await form(page).getByText('optional parameters').click()
    await form(page).getByLabel('limit').fill('7')
    const sent = page.waitForRequest('**/api/keys?limit=7')
    await page.keyboard.press('Enter')
    await sent
  })

  it('is not sent where the body is no JSON, and says so where nothing answers', async () => {
    const page = await pageOf(null, { provoked: /ERR_FAILED/ })
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.route('**/v1/referral/read', (route) => route.abort())
    await page.goto('/reference/readReferral')
    await page.getByRole('button', { name: 'Try it' }).click()
    await form(page).getByLabel('Key').fill(service.sandboxKey)
    const body = form(page).getByLabel('Body')
    const written = await body.inputValue()
    await body.fill('{"text": ')
    await form(page).getByRole('button', { name: 'Send' }).click()
    await form(page).getByText('Nothing was sent.').waitFor()
    expect(sent).not.toContain('/v1/referral/read')
    await body.fill(written)
    await form(page).getByRole('button', { name: 'Send' }).click()
    await form(page).getByText('could not be reached').waitFor()
    await expect.poll(() => body.inputValue()).toBe(written)
  })

  it.each([
    ['listKeys', 'Key', 'ключ'],
    ['provePublicInclusion', 'attestation_id', '..'],
  ])('is not sent by %s where its %s is %s', async (operation, field, value) => {
    const page = await open(null, `/reference/${operation}`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByRole('button', { name: /^Try it/ }).click()
    await form(page).getByLabel(field).fill(value)
    await page.keyboard.press('Enter')
    await form(page).getByText('Nothing was sent').waitFor()
    expect(asked).toEqual([])
  })

  it('can be stopped, and says how much of a long answer is not shown', async () => {
    const page = await pageOf(null)
    const never = Promise.withResolvers<void>()
    await page.route('**/v1/openapi.json', () => never.promise)
    await page.goto('/reference/describeApi')
    await page.getByRole('button', { name: 'Try it' }).click()
    await form(page).getByRole('button', { name: 'Send' }).click()
    await form(page).getByRole('button', { name: 'Stop' }).click()
    await form(page).getByText('Stopped.').waitFor()
    await page.unroute('**/v1/openapi.json')
    await form(page).getByRole('button', { name: 'Send' }).click()
    await form(page).getByText('Only the first 200,000 of').waitFor()
    never.resolve()
  })

  it.each([
    ['/reference/logIn', 'for the pages of sign-in'],
    ['/reference/setSandboxKey', 'the operator’s token belongs in no page'],
  ])('is not offered at %s', async (address, reason) => {
    const page = await open(null, address)
    await page.getByText(reason).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /Try it/ }).count()).toBe(0)
  })
})
