// Reads a request as the emulator's providers do, without a server: what a body is refused with, or that it is taken.

import { formatFor } from '../../scripts/emulator/formats.ts'
import { MODELS } from '../../scripts/emulator/models.ts'
import { at, DIALECTS } from './emulator-client.ts'
import type { Body, Dialect } from './emulator-client.ts'

const PROVIDERS = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  agent: 'perplexity',
  sonar: 'perplexity',
} as const
const HEADERS = { 'anthropic-version': '2023-06-01' }

export interface Reading {
  taken: boolean
  status: number
  /** The message, without the words that every message of the emulator has. */
  message: string
  /** The whole error body. */
  error: unknown
}

/** What the dialect's provider says to its smallest good request with `more` in it; at Google to a model by its name. */
export function readAs(dialect: Dialect, more: Body, googleModel = 'gemini-3.6-flash'): Reading {
  const { path, body } = DIALECTS[dialect]
  const provider = PROVIDERS[dialect]
  const own = path.slice(provider.length + 1).replace(/models\/[^:]+/, `models/${googleModel}`)
  const format = formatFor(provider, own)
  if (format === null) throw new Error(`nothing reads ${own}`)
  const given: Body = { ...body, ...more }
  const call = { path: own, query: new URLSearchParams(), headers: HEADERS, body: given, models: MODELS[provider] }
  const read = format.read(call, format.modelOf(own, given) ?? '')
  if (read.ok) return { taken: true, status: 200, message: '', error: null }
  const error = format.problem(read.problem).body
  const message = String(at(error, 'error.message')).replace('Countersign emulator: ', '')
  return { taken: false, status: read.problem.status, message, error }
}
