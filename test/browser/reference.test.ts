// The reference shows all that the OpenAPI document says, takes somebody to what they look for, and makes nothing but text of it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import { operationsOf, type ApiDocument } from '../../src/pages/reference/openapi-document.ts'
import { bodyOf, curlLine } from '../../src/pages/reference/request-samples.ts'
import { origin, pageOf, service, visitor } from '../support/browser/browser.ts'
import { keyOf, ownOrganisation } from '../support/browser/people.ts'
import { open } from '../support/browser/pages.ts'
import { FAILING } from '../support/browser/visitor.ts'

const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as ApiDocument
const operations = operationsOf(inlineReferences(document))
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
  return Object.fromEntries(operationIds.map((id) => [id, document.getElementById(id).textContent]))
})()`

describe('the reference', () => {
  it('has every operation with its parameters, its statuses, its codes and the schemas of them', async () => {
    const page = await open(null, '/reference')
    const ids = JSON.stringify(operations.map(({ operationId }) => operationId))
    const said = await page.evaluate<Record<string, string>>(`{ const operationIds = ${ids}; ${OPEN_ALL} }`)
    const missing = operations.flatMap(({ operationId, method, path, summary, parameters = [], responses }) =>
      [
        `${method} ${path}`,
        summary,
        operationId,
        ...parameters.map(({ name }) => name),
        ...Object.keys(responses),
        ...Object.values(responses).flatMap((one) => one['x-error-codes'] ?? []),
        ...Object.values(responses).flatMap(({ headers = {}, content = {} }) =>
          Object.keys({ ...headers, ...content }),
        ),
      ].filter((words) => said[operationId]?.includes(words) !== true),
    )
    expect(missing).toEqual([])
    const everything = Object.values(said).join('\n')
    expect(Object.keys(document.components.schemas).filter((name) => !everything.includes(name))).toEqual([])
  })

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
    const variables = { ...process.env, KEY: service.sandboxKey, GATEWAY_KEY: await keyOf(organisation) }
    const asked = operations.filter(({ path }) => path.startsWith('/v1/') && !path.includes('{'))
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

  it('opens the operation that the address names, and comes to it', async () => {
    const page = await pageOf(null)
    await page.goto('/reference#listKeys')
    const summary = page.locator('#listKeys > summary')
    await page.locator('#listKeys > summary:focus').waitFor()
    await page.locator('#listKeys').getByText('Who may call it').waitFor()
    await expect.poll(async () => (await summary.boundingBox())?.y ?? -1).toBeLessThan(800)
    await page.goto('/reference#readReferral')
    await page.locator('#readReferral').getByText('Who may call it').waitFor()
  })

  it('finds operations by an error code, keeps the question in the address, and says so where there is none', async () => {
    const page = await open(null, '/reference')
    await page.keyboard.press('/')
    await page.keyboard.type('loop_detected')
    const wanted = operations.filter((one) =>
      Object.values(one.responses).some((response) => response['x-error-codes']?.includes('loop_detected')),
    )
    await page.getByText(`${wanted.length} operations of ${operations.length}`).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?q=loop_detected')
    await page.reload()
    await page.getByText(`${wanted.length} operations of ${operations.length}`).waitFor()
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('Try a shorter word').waitFor()
  })

  it('makes nothing but text of what the document says, and links only within the site', async () => {
    const page = await pageOf(null)
    const hostile = '<img src=x onerror=alert(1)> [here](javascript:alert(1)) [there](//evil.example) **<b>bold</b>**'
    await page.route('**/v1/openapi.json', (route) =>
      route.fulfill({ json: { ...document, info: { ...document.info, description: hostile } } }),
    )
    await page.goto('/reference')
    await page.getByText('<img src=x onerror=alert(1)> [here](javascript:alert(1))').waitFor()
    await expect
      .poll(() => page.locator('#island img, #island a[href*=evil], #island a[href^=javascript]').count())
      .toBe(0)
  })

  it('says what failed, with the request id, and asks again', async () => {
    const page = await pageOf(null, { provoked: FAILING })
    const error = { code: 'internal_error', type: 'api_error', message: 'Something failed.', request_id: 'req_1234' }
    await page.route('**/v1/openapi.json', (route) => route.fulfill({ status: 500, json: { error } }), { times: 1 })
    await page.goto('/reference')
    await page.getByText('req_1234').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(`${operations.length} operations`).waitFor()
  })

  it.each(['{"openapi": "3.1.0", "pa', '', '<!doctype html><title>Another network</title>'])(
    'says that an answer is none, and asks again: %s',
    async (body) => {
      await using somebody = await visitor()
      const { page } = somebody
      await page.route('**/v1/openapi.json', (route) => route.fulfill({ status: 200, body }), { times: 1 })
      await page.goto('/reference')
      await page.getByText('The answer did not come whole').waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(`${operations.length} operations`).waitFor()
      expect(somebody.faults).toEqual([])
    },
  )

  it('says without JavaScript where the document is', async () => {
    const page = await pageOf(null, { javaScript: false })
    await page.goto('/reference')
    await expect.poll(() => page.locator('noscript').innerText()).toContain('needs JavaScript')
  })
})
