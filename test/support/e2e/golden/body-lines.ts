// The body of an answer as lines: its members and types, the events of a stream, the columns of a table.
import { parse } from 'csv-parse/sync'
import { shapeOf, type Context } from './shape.ts'

type Event = { name: string; data: unknown }

/** @param contentType that of the answer, or '' */
export function bodyLines(text: string, contentType: string, context: Context): string[] {
  if (text === '') return []
  if (contentType.startsWith('text/csv')) {
    const [columns = [], ...rows] = parse(text)
    return wrapped(`${rows.length} rows of ${columns.join(', ')}`)
  }
  if (contentType.startsWith('text/event-stream')) return streamLines(eventsOf(text), context)
  const value = jsonOf(text)
  if (value !== undefined) return wrapped(shapeOf([value], context))
  const rows = text.trim().split('\n').map(jsonOf)
  if (rows.every((row) => row !== undefined)) return wrapped(`${rows.length} lines of ${shapeOf(rows, context)}`)
  return [`a text of ${text.split('\n').length} lines`]
}

/** The names of the events in their order, and one shape for all that have the same name. */
function streamLines(events: readonly Event[], context: Context): string[] {
  const runs: { name: string; count: number }[] = []
  const byName = new Map<string, unknown[]>()
  for (const { name, data } of events) {
    const last = runs.at(-1)
    if (last?.name === name) last.count += 1
    else runs.push({ name, count: 1 })
    byName.set(name, [...(byName.get(name) ?? []), data])
  }
  const isChat = events.every(({ name }) => !name.startsWith('response.'))
  const order = runs.map(({ name, count }) => (count === 1 ? name : `${count} × ${name}`)).join(', ')
  const shaped = events.map(({ data }) => data).filter((data) => typeof data === 'object')
  return [
    ...wrapped(`events: ${order}`),
    ...wrapped(isChat ? `each ${shapeOf(shaped, context)}` : shapeOf(shaped, context)),
  ]
}

/** The events of a stream. One that has no type is named by what it brings. */
export function eventsOf(text: string): Event[] {
  return text
    .split('\n\n')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length))
    .map((data) => ({ name: nameOf(jsonOf(data)) ?? data, data: jsonOf(data) ?? data }))
}

type Choice = { delta?: Record<string, unknown>; finish_reason?: string | null }

type Chunk = {
  type?: string
  error?: unknown
  usage?: object | null
  choices?: Choice[]
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, error, usage, choices = [] } = value as Chunk
  if (type !== undefined) return type
  const brought = choices.flatMap(broughtBy)
  const beside = [
    ...(error === undefined ? [] : ['error']),
    ...(usage === undefined || usage === null ? [] : ['usage']),
    ...('aqta' in value ? ['aqta'] : []),
  ]
  return [...brought, ...beside].join(' + ')
}

function broughtBy({ delta = {}, finish_reason }: Choice): string[] {
  const names = Object.keys(delta)
  return typeof finish_reason === 'string' ? names.concat(`finish ${finish_reason}`) : names
}

/** Lines of a text that is a list in its form, broken after commas. */
export function wrapped(text: string, width = 200): string[] {
  const lines: string[] = []
  for (const part of text.split(/(?<=, )/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + part.length > width) lines.push(part)
    else lines[lines.length - 1] = last + part
  }
  return lines.map((line, index) => `${index === 0 ? '' : '  '}${line.trimEnd()}`)
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
