// The answers of the model emulator, byte for byte but for the time. Requests are in emulator-requests.ts, answers at every provider,
// whole and streamed, in test/fixtures/emulator. `npx vitest run -u --project e2e test/e2e/emulator.test.ts` writes them anew.
import { array as arrays, assert, asyncProperty, string as strings } from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BEHAVIOURS } from '../../scripts/emulator/behaviours.ts'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { chatOf, EMULATED, emulatedAs } from '../fixtures/providers/index.ts'
import type { Asked } from '../fixtures/providers/material.ts'
import type { ProviderId } from '../../src/providers/provider-registry.ts'
import { assembleAnswer } from '../../src/providers/assemble-answer.ts'
import { createSseParser } from '../../src/providers/sse.ts'
import { at, createClient } from './emulator-client.ts'
import { behavioursOf, CACHED, NOT_IN_THE_TRANSCRIPT } from './emulator-requests.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())
const { call, stream, json } = createClient(() => emulator.url)

const NOT_RECORDED = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])

type LineEnd = '\n' | '\r\n'
interface Recorded {
  title: string
  status: number
  headers: string[]
  /** The text, or a line for each event. */
  body: string[]
}

/** Returns an answer without its time. */
async function record(title: string, answer: Response, end: LineEnd = '\n'): Promise<Recorded> {
  const headers = [...answer.headers].filter(([name]) => !NOT_RECORDED.has(name))
  const text = (await answer.text().catch(() => '(broken off)'))
    .replaceAll(/(?:What was found\. )+/g, '<what was found>')
    .replaceAll(/"(created|created_at)":\d+/g, '"$1":<now>')
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  return {
    title,
    status: answer.status,
    headers: headers.map(([name, value]) => `${name}: ${value}`),
    body: isStream ? eventLines(text, end) : [toTheByte(text)],
  }
}

const toTheByte = (text: string): string => text.replaceAll('\r', '<CR>').replaceAll('\n', '<LF>')

/** Writes each event as `name data`, and bytes that are not exactly such an event after `> `. */
function eventLines(text: string, end: LineEnd): string[] {
  const usual = new RegExp(`^(?:event: ([\\w.]+)${end})?data: ([[{].*)${end}${end}$`)
  const parts = text.match(/[^]+?(?:\r?\n\r?\n|$)/g) ?? []
  return parts.map((part) => {
    const [, name = '', data] = usual.exec(part) ?? []
    return data === undefined ? `> ${toTheByte(part)}` : `${name} ${data}`.trimStart()
  })
}

/** Writes each answer once, and once the headers that the first answer of its type has. */
function transcriptOf(answers: readonly Recorded[], end: LineEnd = '\n'): string {
  const usual = new Map<string, string[]>()
  const titles = new Map<string, string>()
  const lines = answers.map(({ title, status, headers, body }) => {
    const type = headers.map((line) => /^content-type: \w+\/([\w-]+)/.exec(line)?.[1]).find(Boolean) ?? 'nothing'
    const known = usual.get(type) ?? headers
    usual.set(type, known)
    const others = headers.filter((line) => !known.includes(line))
    const missing = known.map(nameOf).filter((name) => !headers.map(nameOf).includes(name))
    const head = [`${status} ${type}`, ...others, ...missing.map((name) => `no ${name}`)].join('; ')
    const text = [head, ...body].join('\n')
    const same = titles.get(text)
    if (same !== undefined) return `### ${title}: as ${same}`
    titles.set(text, title)
    return `### ${title}: ${text}`
  })
  const top = [...usual].map(([type, headers]) => `Headers of ${type}: ${headers.join('; ')}`)
  const rule = `An event is a line \`name data\`: its lines ended with ${toTheByte(end)}, and a blank line followed. Other bytes are after \`>\`.`
  return `${[...top, rule, ...lines].join('\n')}\n`
}

const nameOf = (header: string): string => header.split(':', 1).join()

async function recordBoth(provider: ProviderId, [title, more, options]: Asked): Promise<Recorded[]> {
  emulator.reset()
  const whole = await record(title, await call(provider, more, options))
  emulator.reset()
  // A request that names its path is sent as it is.
  if (options?.at !== undefined) return [whole]
  return [
    whole,
    await record(`${title}, streamed`, await stream(provider, more, options), emulatedAs(provider).lineEnd),
  ]
}

describe('the transcript', () => {
  it.each(EMULATED)('of %s is what the emulator answers', async (provider, emulated) => {
    const answers: Recorded[] = []
    for (const asked of [...emulated.requests, ...behavioursOf(emulated)])
      answers.push(...(await recordBoth(provider, asked)))
    await expect(transcriptOf(answers, emulated.lineEnd)).toMatchFileSnapshot(`../fixtures/emulator/${provider}.txt`)
  })

  it('of prompts that Anthropic is asked to keep is what they come to, one after the other', async () => {
    const answers: Recorded[] = []
    for (const [title, more, options] of CACHED) {
      if (title.startsWith('reset: ')) emulator.reset()
      const answer =
        options?.streamed === true ? await stream('anthropic', more) : await call('anthropic', more, options)
      answers.push(await record(title, answer))
    }
    await expect(transcriptOf(answers)).toMatchFileSnapshot('../fixtures/emulator/cache.txt')
  })

  it('has every behaviour that takes no time', () => {
    const inTranscript = EMULATED.flatMap(([, emulated]) => behavioursOf(emulated)).flatMap(([names]) =>
      names.split('+'),
    )
    const asked = new Set([...inTranscript, ...NOT_IN_THE_TRANSCRIPT])
    const names = new Set([...asked].map((name) => name.split(',')[0]))
    expect(BEHAVIOURS.map(([usage]) => usage.split(/[ ,]/)[0]).filter((name) => !names.has(name))).toEqual([])
  })
})

it('counts a token for every four characters of any prompt', async () => {
  const message = strings({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  const property = asyncProperty(arrays(message, { minLength: 1, maxLength: 4 }), async (texts) => {
    const body = await json('openai', { messages: texts.map((content) => ({ role: 'user', content })) })
    expect(at(body, 'usage.prompt_tokens')).toBe(Math.ceil(Array.from(texts.join('')).length / 4))
  })
  await assert(property, { numRuns: 25 })
})

it.each(EMULATED)('%s: the client reads the same answer, whole and streamed', async (provider, { requests }) => {
  const verb = chatOf(provider)
  const answers = requests.filter(([, , options]) => options?.at === undefined)
  let count = 0
  for (const [title, more, options] of answers) {
    emulator.reset()
    const answer = await call(provider, more, options)
    if (!answer.ok) continue
    emulator.reset()
    const bytes = await (await stream(provider, more, options)).bytes()
    const decoder = verb.stream()
    const parts = createSseParser({ maxEventBytes: bytes.length }).push(bytes) ?? []
    const events = [...parts.flatMap((part) => decoder.push(part, true).events), ...decoder.close()]
    const whole = verb.decode(await answer.json())
    expect(whole.ok && whole.answer.choices, title).toEqual(assembleAnswer(events).choices)
    expect(events.at(-1), title).toEqual({ type: 'end' })
    count += 1
  }
  expect(count).toBeGreaterThan(5)
})
