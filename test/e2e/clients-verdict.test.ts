// Judging a driven client's run, and making the table of all runs.
import { describe, expect, it } from 'vitest'
import type { Outcome, Verdict } from '../../scripts/clients/sdk-features.ts'
import type { Exchange } from '../../scripts/clients/recording-proxy.ts'
import { COLUMNS, tableIn, tableRows, replaceRows, replaceTable } from '../../scripts/clients/compatibility-table.ts'
import { judgeRun } from '../../scripts/clients/judge-run.ts'

const RUN = { client: 'a client', feature: 'create', model: 'gpt-4.1-mini' } as const
const FINE: Outcome = { problem: null, told: [] }
const BROKEN: Outcome = { problem: 'TypeError: no text', told: [] }

const exchange = (body: object, status = 200, error: Exchange['error'] = null): Exchange => ({
  run: RUN,
  method: 'POST',
  path: '/v1/chat/completions',
  body: JSON.stringify(body),
  status,
  error,
  hasErrorEvent: () => false,
})
const read = (path: string): Exchange => ({ ...exchange({}), method: 'GET', path })
const refusal = (status: number, message: string, param: string | null = null): Exchange =>
  exchange({}, status, { code: status === 400 ? 'invalid_request' : 'another', message, param })

const judged = (feature: Parameters<typeof judgeRun>[0], exchanges: Exchange[], outcome = FINE, isSeen = true) =>
  judgeRun(feature, { outcome, exchanges, isProviderCancelled: isSeen, isPictureSeen: isSeen })

describe('a run works', () => {
  const schema = { response_format: { type: 'json_schema' } }
  it.each([
    ['create', [exchange({})]],
    ['stream', [exchange({ stream: true })]],
    ['tools', [exchange({}), exchange({ messages: [{ role: 'tool' }] })]],
    ['streamed tools', [exchange({ stream: true, input: [{ type: 'function_call_output' }] })]],
    ['output by tool', [exchange({ tools: [{}] })]],
    ['output by schema', [exchange(schema)]],
    ['JSON mode', [exchange({ text: { format: { type: 'json_object' } } })]],
    ['images', [exchange({ url: 'data:image/png;base64,AA' })]],
    ['models', [read('/v1/models'), read('/v1/models/gpt-4.1-mini')]],
  ] as const)('where what was sent is what it is about: %s', (feature, exchanges) => {
    expect(judged(feature, [...exchanges])).toEqual({ kind: 'works' })
  })

  it('where the provider was told that the caller left', () => {
    expect(judged('cancellation', [exchange({ stream: true })])).toEqual({ kind: 'works' })
  })

  it('where each error was handed on in our words', () => {
    const told = { problem: null, told: ['401: bad key', 'no such model', 'Error 400 - too hot'] }
    const refused = [refusal(401, 'bad key'), refusal(404, 'no such model'), refusal(400, 'too hot', 'temperature')]
    expect(judged('errors', refused, told)).toEqual({ kind: 'works' })
  })
})

describe('a run fails', () => {
  it.each([
    ['stream', [exchange({})]],
    ['tools', [exchange({ tools: [{}] })]],
    ['streamed tools', [exchange({ stream: true }), exchange({ messages: [{ role: 'tool' }] })]],
    ['output by tool', [exchange({})]],
    ['output by schema', [exchange({ response_format: { type: 'json_object' } })]],
    ['JSON mode', [exchange({ response_format: { type: 'text' } })]],
    ['images', [exchange({ text: 'no picture' })]],
    ['models', [read('/v1/models')]],
    ['create', []],
    ['create', [exchange({}, 502)]],
    ['errors', [refusal(401, 'bad key')]],
  ] as const)('where the client did something else in silence: %s', (feature, exchanges) => {
    expect(judged(feature, [...exchanges]).kind).toBe('fails')
  })

  it('where the provider goes on writing for nobody', () => {
    expect(judged('cancellation', [exchange({ stream: true })], FINE, false).kind).toBe('fails')
  })

  it('where no error came in the stream, whatever the client threw', () => {
    const stream = exchange({ stream: true })
    expect(judged('failing stream', [stream]).kind).toBe('fails')
    expect(judged('failing stream', [{ ...stream, hasErrorEvent: () => true }])).toEqual({ kind: 'works' })
  })

  it('where the picture did not come to the provider', () => {
    expect(judged('images', [exchange({ url: 'data:image/png;base64,AA' })], FINE, false).kind).toBe('fails')
  })

  it('where an error’s message, or the member it is about, is lost', () => {
    const errors = [refusal(401, 'bad key'), refusal(404, 'no such model')]
    const told = { problem: null, told: ['bad key', 'no such model', 'too hot'] }
    expect(judged('errors', [...errors, refusal(400, 'too hot')], told).kind).toBe('fails')
    expect(judged('errors', [...errors, refusal(400, 'too cold', 'temperature')], told).kind).toBe('fails')
  })

  it('where the client breaks on an answer, or on a refusal that names nothing', () => {
    expect(judged('create', [exchange({})], BROKEN)).toEqual({ kind: 'fails', why: 'TypeError: no text' })
    expect(judged('create', [refusal(400, 'no')], BROKEN).kind).toBe('fails')
    expect(judged('create', [refusal(404, 'no', 'model')], BROKEN).kind).toBe('fails')
    expect(judged('create', [refusal(400, 'no', 'stop'), exchange({})], BROKEN).kind).toBe('fails')
  })
})

it('a run is refused where the last answer names a member', () => {
  const exchanges = [exchange({}), refusal(400, 'no', 'messages[2].name')]
  const refused = { kind: 'refused', param: 'messages[2].name' }
  expect(judged('tools', exchanges, BROKEN)).toEqual(refused)
  // A client for which the refusal is an error like any other, as it is to find one.
  expect(judged('failing stream', exchanges)).toEqual(refused)
})

describe('the table', () => {
  const models = [
    { id: 'one', provider: 'openai' },
    { id: 'two', provider: 'openai' },
    { id: 'three', provider: 'anthropic' },
    { id: 'four', provider: 'google' },
    { id: 'five', provider: 'perplexity' },
  ] as const
  /** The cells of the providers that have no model here. */
  const rest = ' not tested |'.repeat(COLUMNS.length - new Set(models.map(({ provider }) => provider)).size)
  const rowOf = (verdicts: Partial<Record<string, Verdict>>) => {
    const runs = models.map(({ id }) => ({
      run: { client: 'c', feature: 'create' as const, model: id },
      verdict: verdicts[id] ?? { kind: 'works' as const },
    }))
    return tableRows([{ name: 'c' }], models, runs)[0]
  }

  it('has one word where all models of a provider fare alike', () => {
    expect(rowOf({})).toBe(`| c | create | works | works | works | works |${rest}`)
  })

  it('names the models where they differ, and what was refused', () => {
    const refused: Verdict = { kind: 'refused', param: 'stop' }
    const row = rowOf({
      two: refused,
      three: refused,
      five: { kind: 'fails', why: 'no text' },
    })
    const mixed = 'works (`one`); refused: `stop` (`two`)'
    expect(row).toBe(`| c | create | ${mixed} | refused: \`stop\` | works | fails |${rest}`)
  })

  it('has no empty cell where a client was not driven', () => {
    expect(tableRows([{ name: 'c' }], models, [])[0]).toContain('not tested')
  })

  it('goes between its marks, and nothing else of the page changes', () => {
    const page = 'a\n<!-- clients: begin -->\nold\n<!-- clients: end -->\nb\n'
    const written = replaceTable(page, 'new')
    expect(tableIn(written).trim()).toBe('new')
    expect(replaceTable(written, 'old').replaceAll(/\n+/g, '\n')).toBe(page)
    expect(() => replaceTable('no marks', 'new')).toThrow('clients: begin')
  })

  it('takes the rows of some clients, and leaves those of others', () => {
    const row = (client: string, word: string) => `| ${client} | create | ${word} | ${word} | ${word} | ${word} |`
    const page = replaceTable(
      '<!-- clients: begin --><!-- clients: end -->',
      [row('c', 'works'), row('d', 'works')].join('\n'),
    )
    const written = tableIn(replaceRows(page, [row('c', 'fails'), row('e', 'fails')])).trim()
    expect(written).toBe([row('c', 'fails'), row('d', 'works')].join('\n'))
  })
})
