// Requests of every operation of an OpenAPI document: as it declares them, nearly so, and not at all.
import fc from 'fast-check'
import * as z from 'zod'
import { HOSTILE, valuesOf } from './schema-values.ts'

const ParameterSchema = z.object({ name: z.string(), in: z.string(), schema: z.unknown() })

const OperationSchema = z.object({
  operationId: z.string(),
  parameters: z.array(ParameterSchema).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }).optional(),
})

const DocumentSchema = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

export type Operation = z.output<typeof OperationSchema> & { path: string; method: string }

export type FuzzedRequest = { path: string; method: string; headers: Record<string, string>; body: string | null }

export function operationsOf(document: unknown): Operation[] {
  return Object.entries(DocumentSchema.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, parameters, requestBody } = OperationSchema.parse(operation)
      return { operationId, parameters, requestBody, path, method: method.toUpperCase() }
    }),
  )
}

const hostileText = fc.constantFrom(...HOSTILE.filter((value) => typeof value === 'string'))

const RAW_BODIES = ['', '{', '[]', 'null', '"text"', '{"a":1,"a":2}', '\ufeff{}', '['.repeat(500), '{"__proto__":{}}']

/** Header values as HTTP lets them be. */
const headerText = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim())

/**
 * @param known ids and names that exist, so that requests reach what is there
 * @param origin what a page of the service's own sends
 */
export function requestsOf(
  document: unknown,
  { path, method, parameters, requestBody }: Operation,
  { known, origin }: { known: readonly string[]; origin: string },
): fc.Arbitrary<FuzzedRequest> {
  const values = valuesOf(DocumentSchema.parse(document), known)
  const segment = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: hostileText })
  const query = fc.record(
    Object.fromEntries(parameters.filter((one) => one.in === 'query').map((one) => [one.name, values(one.schema)])),
    { requiredKeys: [] },
  )
  const headers = fc.record(
    Object.fromEntries(parameters.filter((one) => one.in === 'header').map((one) => [one.name, headerText])),
    { requiredKeys: [] },
  )
  const schema = requestBody?.content['application/json']?.schema
  const json = schema === undefined ? fc.constant(null) : values(schema).map((value) => JSON.stringify(value))
  const body = fc.oneof({ weight: 8, arbitrary: json }, { weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES) })
  const origins = fc.oneof(
    { weight: 8, arbitrary: fc.constant({ origin }) },
    { weight: 1, arbitrary: fc.constantFrom({ origin: 'https://elsewhere.example' }, { origin: 'null' }, {}) },
  )
  const types = fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data') },
  )
  return fc
    .record({ segments: fc.array(segment, { minLength: 5, maxLength: 5 }), query, headers, body, origins, types })
    .map((made) => ({
      path: addressOf(path, made.segments, made.query),
      method,
      headers: { ...made.headers, ...made.origins, 'content-type': made.types },
      body: method === 'GET' || method === 'HEAD' ? null : made.body,
    }))
}

function addressOf(template: string, segments: readonly string[], query: Record<string, unknown>): string {
  let at = 0
  const path = template.replaceAll(/\{\w+\}/g, () => encode(segments[at++ % segments.length] ?? '') || 'none')
  const members = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(asText(value))}`)
  return members.length === 0 ? path : `${path}?${members.join('&')}`
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Half of a surrogate pair has no UTF-8. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed().slice(0, 2_000)).replaceAll('.', '%2E')
