// Checks every answer against the OpenAPI document the service itself serves: the status is declared for the route, the
// body has the declared schema, an error one of the declared codes, and the headers that are promised are there.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as z from 'zod'
import { errorRow, isErrorCode } from '../../../src/platform/errors.ts'
import { inlineReferences } from '../../../src/pages/reference/inline-references.ts'

export type CheckedFetch = (path: string, init?: RequestInit) => Promise<Response>

type Content = Record<string, { schema: object }>
type Declared = { content?: Content; headers?: Record<string, { required?: boolean }>; 'x-error-codes'?: string[] }
type Operation = { responses: Record<string, Declared> }
type Document = { paths: Record<string, Record<string, Operation>>; components: object }

const EVERY_RESPONSE = [
  'x-request-id',
  'server-timing',
  'x-content-type-options',
  'strict-transport-security',
  'referrer-policy',
]

/** Under this name the validators find it, so that it is looked through once. */
const DOCUMENT = 'openapi'

/** Checks values by the schemas that a document has at its places, each of them compiled once. */
export function openValidators(document: object): { validatorOf: (pointer: string) => ValidateFunction } {
  const validators = new Map<string, ValidateFunction>()
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // The default export of a CommonJS package.
  ;(addFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv)

  ajv.addSchema(document, DOCUMENT)

  function validatorOf(pointer: string): ValidateFunction {
    const known = validators.get(pointer)
    if (known !== undefined) return known
    const validator = ajv.compile({ $ref: `${DOCUMENT}#${pointer}` })
    validators.set(pointer, validator)
    return validator
  }
  return { validatorOf }
}

export async function openConformance(origin: string): Promise<CheckedFetch> {
  const document = inlineReferences((await (await fetch(`${origin}/v1/openapi.json`)).json()) as Document)
  const { validatorOf } = openValidators(document)

  return async (path, init) => {
    const response = await fetch(`${origin}${path}`, init)
    const problem = await differences(document, validatorOf, path, init?.method ?? 'GET', response.clone())
    if (problem !== null) throw new Error(`${init?.method ?? 'GET'} ${path} answered ${response.status}: ${problem}`)
    return response
  }
}

async function differences(
  document: Document,
  validatorOf: (pointer: string) => ValidateFunction,
  path: string,
  method: string,
  response: Response,
): Promise<string | null> {
  const missing = EVERY_RESPONSE.filter((name) => !response.headers.has(name))
  if (missing.length > 0) return `without ${missing.join(', ')}: ${(await response.text()).slice(0, 2000)}`
  const template = Object.keys(document.paths).find((candidate) =>
    pathPattern(candidate).test(path.split('?')[0] ?? ''),
  )
  const verb = method.toLowerCase()
  const operation = template === undefined ? undefined : document.paths[template]?.[verb]
  // Unknown addresses and methods belong to no operation.
  if (template === undefined || operation === undefined)
    return [404, 405, 204, 200].includes(response.status) ? null : 'undeclared'
  const declared = operation.responses[String(response.status)]
  if (declared === undefined) return 'a status the route does not declare'
  const promised = Object.entries(declared.headers ?? {}).filter(([, { required }]) => required === true)
  const absent = promised.map(([name]) => name).filter((name) => !response.headers.has(name))
  if (absent.length > 0) return `without ${absent.join(', ')}`
  if (declared.content === undefined) return (await response.text()) === '' ? null : 'a body where none is declared'
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  if (!(type in declared.content)) return `content-type ${type} is not declared`
  if (type !== 'application/json') {
    // Cancelled, because a body that is read twice ends for neither reader before the other.
    void response.body?.cancel()
    return null
  }
  const escaped = template.replaceAll('~', '~0').replaceAll('/', '~1')
  const validate = validatorOf(
    `/paths/${encodeURIComponent(escaped)}/${verb}/responses/${response.status}/content/application~1json/schema`,
  )
  const body: unknown = await response.json()
  if (!validate(body)) return JSON.stringify(validate.errors?.slice(0, 3))
  return declared['x-error-codes'] === undefined ? null : wrongCode(body, response, declared['x-error-codes'])
}

/** A body without `error` is the answer that shares an error's status. The envelope is one for all; which codes a response can have, each with its own status and type, stands beside it. */
function wrongCode(body: unknown, { status }: Response, declared: readonly string[]): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  const { code, type } = EnvelopeSchema.parse(body).error
  if (!declared.includes(code)) return `a code the route does not declare: ${code}`
  // Anthropic's shape has types and statuses of its own.
  if ('type' in body) return null
  const row = errorRow(code)
  return row.status === status && row.type === type ? null : `${code} with status ${status} and type ${type}`
}

const EnvelopeSchema = z.object({ error: z.object({ code: z.string().refine(isErrorCode), type: z.string() }) })

const pathPattern = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
