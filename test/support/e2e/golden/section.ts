// The exchanges of one operation in one chapter, as text. What the last answer with the same status had is not repeated.
import { bodyLines, jsonOf, wrapped } from './body-lines.ts'
import type { Exchange } from './chapter.ts'
import { withKinds } from './placeholders.ts'
import { shapeOf } from './shape.ts'

export type ErrorBody = {
  error: {
    message: string
    type: string
    code: string
    request_id: string
    param?: string
    fields?: { path: string; rule: string }[]
  }
}

/** The exchanges, with an empty line between them. Each depends on no other but the last one of its status. */
export function sectionOf(exchanges: readonly Exchange[]): string {
  const last: Record<string, Rest> = {}
  return exchanges
    .map((exchange) => {
      const { status } = exchange.answer
      const rest = { body: bodyOf(exchange), headers: wrapped(exchange.answerHeaders.join(', ')).join('\n') }
      const lines = [...headOf(exchange), ...statusLines(exchange), ...restLines(rest, last[status])]
      last[status] = rest
      return lines.join('\n')
    })
    .join('\n\n')
}

/** What an exchange says after its status. */
type Rest = { body: string; headers: string }

function restLines({ body, headers }: Rest, before: Rest | undefined): string[] {
  const isBody = body === before?.body
  const isHeaders = headers === before?.headers
  if (isBody && isHeaders) return body === '' && headers === '' ? [] : ['as before']
  return [
    ...(body === '' ? [] : [isBody ? 'body as before' : body]),
    ...(headers === '' ? [] : [`headers ${isHeaders ? 'as before' : headers}`]),
  ]
}

function headOf({ title, caller, method, path, sentText, sentHeaders, known }: Exchange): string[] {
  const headers = Object.entries(sentHeaders)
    .filter(([name, value]) => name !== 'content-type' || value !== 'application/json')
    .map(([name, value]) => `${name}: ${value}`)
  const request = [method, path, ...(sentText === null ? [] : [shortened(sentText)])].join(' ')
  return [
    `### ${title} (${caller.name})`,
    withKinds(request, known),
    ...(headers.length === 0 ? [] : [`with ${withKinds(headers.join(', '), known)}`]),
  ]
}

const shortened = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text

/** The status, and for an error what it says. */
export function statusLines({ answer, known }: Exchange): string[] {
  const error = errorOf(answer.text)
  if (error === null) return [String(answer.status)]
  const { type, code, param, message, fields = [] } = error
  const about = param === undefined ? '' : `, param ${param}`
  return [
    withKinds(`${answer.status} ${type} ${code}${about}: ${message}`, known),
    ...(fields.length === 0 ? [] : wrapped(`fields ${fields.map(({ path, rule }) => `${path}: ${rule}`).join(', ')}`)),
  ].map((line) => (line.length > 400 ? `${line.slice(0, 399)}…` : line))
}

export function errorOf(text: string): ErrorBody['error'] | null {
  const value = jsonOf(text)
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : null
  return typeof error === 'object' && error !== null && 'code' in error ? (error as ErrorBody['error']) : null
}

/** An error is in the lines of the status, apart from the members that not every error has. */
function bodyOf({ answer, omitBody, known, answeredAt }: Exchange): string {
  if (omitBody) return '(a body)'
  const context = { known, answeredAt }
  const beside = besideError(answer.text)
  if (beside === undefined) return bodyLines(answer.text, answer.headers.get('content-type') ?? '', context).join('\n')
  return Object.keys(beside).length === 0 ? '' : wrapped(`beside ${shapeOf([beside], context)}`).join('\n')
}

/** @returns undefined where the body is not an error with the members that every error has */
function besideError(text: string): object | undefined {
  const error = errorOf(text)
  if (error === null) return undefined
  const { message, type, code, request_id, param = '', fields = [], ...members } = error
  const isUsual =
    [message, type, code, request_id, param].every((value) => typeof value === 'string') && Array.isArray(fields)
  const { error: _, ...others } = jsonOf(text) as ErrorBody
  return isUsual ? { ...members, ...others } : undefined
}
