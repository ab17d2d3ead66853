// The answers of the model emulator, byte for byte but for the time: what it is asked in emulator-requests.ts, at every provider, whole
// and streamed, in test/fixtures/emulator. `npx vitest run -u --project e2e test/e2e/emulator.test.ts` writes them anew.
import { array as arrays, assert, asyncProperty, string as strings } from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BEHAVIOURS } from '../../scripts/emulator/behaviours.ts'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { ALL, at, createClient, type Dialect } from './emulator-client.ts'
import { BEHAVIOURS_ASKED, CACHED, NOT_IN_THE_TRANSCRIPT, REQUESTS, type Asked } from './emulator-requests.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())
const { call, stream, json } = createClient(() => emulator.url)

const NOT_RECORDED = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])

/** An answer as text, without its time. */
async function record(title: string, answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !NOT_RECORDED.has(name))
  const body = await answer.text().catch(() => '(broken off)')
  const lines = [`### ${title}`, answer.status, ...headers.map(([name, value]) => `${name}: ${value}`), '', body]
  return lines
    .join('\n')
    .replaceAll('\r', '<CR>')
    .replaceAll(/(?:What was found\. )+/g, '<what was found>')
    .replaceAll(/"(created|created_at)":\d+/g, '"$1":<now>')
    .trimEnd()
}

async function recordBoth(dialect: Dialect, [title, more, options]: Asked): Promise<string[]> {
  emulator.reset()
  const whole = await record(title, await call(dialect, more, options))
  emulator.reset()
  // A request that names its path is sent as it is.
  if (options?.at !== undefined) return [whole]
  return [whole, await record(`${title}, streamed`, await stream(dialect, more, options))]
}

describe('the transcript', () => {
  it.each(ALL)('of %s is what the emulator answers', async (dialect) => {
    // Twenty characters are two pieces, so that a stream is short.
    const behaviours = BEHAVIOURS_ASKED.map((behave): Asked => [behave, {}, { behave: `chars,20+${behave}` }])
    const answers: string[] = []
    for (const asked of [...REQUESTS[dialect], ...behaviours]) answers.push(...(await recordBoth(dialect, asked)))
    await expect(`${answers.join('\n\n')}\n`).toMatchFileSnapshot(`../fixtures/emulator/${dialect}.txt`)
  })

  it('of prompts that Anthropic is asked to keep is what they come to, one after the other', async () => {
    const answers: string[] = []
    for (const [title, more, options] of CACHED) {
      if (title.startsWith('reset: ')) emulator.reset()
      const answer =
        options?.streamed === true ? await stream('anthropic', more) : await call('anthropic', more, options)
      answers.push(await record(title, answer))
    }
    await expect(`${answers.join('\n\n')}\n`).toMatchFileSnapshot('../fixtures/emulator/cache.txt')
  })

  it('has every behaviour that takes no time', () => {
    const asked = new Set([...BEHAVIOURS_ASKED.flatMap((names) => names.split('+')), ...NOT_IN_THE_TRANSCRIPT])
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

it.each(ALL)('%s: repeats nothing of a key that it refuses', async (dialect) => {
  expect(await (await call(dialect, {}, { key: 'sk-marked-key' })).text()).not.toContain('marked')
})
