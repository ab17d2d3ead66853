// A model's answer under `pii_scan.answers`: whole and in any pieces, in each place in which a value can be.
import { describe, expect, it } from 'vitest'
import { createAnswerReader } from '../../../../src/gateway/scan/answer-reader.ts'
import type { AnswerRule } from '../../../../src/policies/rules/pii-scan.rule.ts'
import { assembleAnswer } from '../../../../src/providers/assemble-answer.ts'
import type { Answer, StreamEvent } from '../../../../src/providers/chat-answer.ts'
import { parseJson } from '../../../../src/providers/lossless-json.ts'
import type { StreamItem } from '../../../../src/providers/sse.ts'
import { seededRandom } from '../../../../scripts/seeded-random.ts'

const PPS = '1234567FA'
const CARD = '4111 1111 1111 1111'
const MAIL = 'mary.murphy@gmail.com'
const SAID = `She is well. Her PPS number is ${PPS}, card ${CARD}, mail ${MAIL}. Please review again next month with kind regards.`

const REDACT: AnswerRule = { default: 'redact' }
const BLOCK: AnswerRule = { default: 'report', shapes: { payment_card: 'block', pps_number: 'redact' } }
const REPORT: AnswerRule = { default: 'report' }

const encoder = new TextEncoder()
const noTurn = (): Promise<void> => Promise.resolve()

const item = (...events: StreamEvent[]): StreamItem => ({ raw: encoder.encode('as it came'), data: '{}', events })
const text = (said: string, choice = 0): StreamEvent => ({ type: 'text', choice, text: said })
const refusal = (said: string): StreamEvent => ({ type: 'refusal', choice: 0, text: said })
const call = (index = 0, isCustom?: true): StreamEvent => ({
  type: 'tool_call',
  choice: 0,
  index,
  id: `call_${index}`,
  name: 'look',
  signature: 'seal',
  ...(isCustom && { isCustom }),
})
const written = (fragment: string, index = 0): StreamEvent => ({ type: 'tool_arguments', choice: 0, index, fragment })
const thought = (thinking: string, signature = ''): StreamEvent => ({
  type: 'thinking',
  choice: 0,
  index: 0,
  piece: { type: 'thinking', thinking, signature },
})
const finish = (choice = 0): StreamEvent => ({ type: 'finish', choice, reason: 'stop' })
const END: StreamEvent = { type: 'end' }

/** Reads a stream. Returns what passed, and what was noted. */
async function stream(rule: AnswerRule, events: readonly (readonly StreamEvent[])[], isJson = false) {
  const reader = createAnswerReader(rule, isJson, noTurn)
  reader.passBytes()
  const given = events.map((one) => item(...one))
  const passed: StreamItem[] = []
  for (const one of given) passed.push(...(await reader.read(one)))
  passed.push(...(await reader.end()))
  const stoppedFor = reader.stoppedFor()
  return {
    given,
    passed,
    stoppedFor,
    answer: assembleAnswer(passed.flatMap((one) => one.events)),
    scan: await reader.finish(),
  }
}

async function whole(rule: AnswerRule, answer: Answer, isJson = false) {
  const reader = createAnswerReader(rule, isJson, noTurn)
  const completed = { answer, passedBody: null }
  const read = await reader.readWhole(completed)
  const stoppedFor = reader.stoppedFor()
  return { isSame: read === completed, answer: read.answer, stoppedFor, scan: await reader.finish() }
}

/** Cuts a text into pieces of random lengths. */
function pieces(said: string, random: () => number): string[] {
  const cut: string[] = []
  for (let at = 0; at < said.length;) {
    const length = 1 + Math.floor(random() * random() * 30)
    cut.push(said.slice(at, at + length))
    at += length
  }
  return cut
}

const ARGUMENTS = JSON.stringify({ pps_number: PPS, note: `card ${CARD}`, mail: MAIL, count: 3 }).replace(
  '1234',
  '\\u0031234',
)

/** Each place in which a value can be: events around it, and the text in pieces. */
const PLACES = {
  text: { said: SAID, isJson: false, make: (cut: string[]) => cut.map((piece) => [text(piece)]) },
  refusal: { said: SAID, isJson: false, make: (cut: string[]) => cut.map((piece) => [refusal(piece)]) },
  'text of a second choice': {
    said: SAID,
    isJson: false,
    make: (cut: string[]) => [[text('Nothing here to see.')], ...cut.map((piece) => [text(piece, 1)]), [finish(1)]],
  },
  'text in markup': {
    said: SAID.replace('1234567FA', '1234<b>567</b>FA'),
    isJson: false,
    make: (cut: string[]) => cut.map((piece) => [text(piece)]),
  },
  'an answer in JSON': {
    said: ARGUMENTS,
    isJson: true,
    make: (cut: string[]) => cut.map((piece) => [text(piece)]),
  },
  arguments: {
    said: ARGUMENTS,
    isJson: false,
    make: (cut: string[]) => [[call()], ...cut.map((piece) => [written(piece)])],
  },
  'input of a free-form tool': {
    said: SAID,
    isJson: false,
    make: (cut: string[]) => [[call(0, true)], ...cut.map((piece) => [written(piece)])],
  },
  thinking: {
    said: SAID,
    isJson: false,
    make: (cut: string[]) => [...cut.map((piece) => [thought(piece)]), [thought('', 'seal')], [text('Well.')]],
  },
} as const

describe.each(Object.entries(PLACES))('a value in %s', (_, { said, isJson, make }) => {
  const cuts = (seed: number) => [...make(pieces(said, seededRandom(seed))), [finish()], [END]]
  const letters = [...make(Array.from(said)), [finish()], [END]]
  const once = [...make([said]), [finish()], [END]]

  it('is found and taken out alike, whole and in any pieces', async () => {
    const uncut = assembleAnswer(once.flat())
    const expected = await whole(REDACT, uncut, isJson)
    expect(expected.scan).toEqual({
      coverage: 'full',
      found: { email_address: 1, pps_number: 1, payment_card: 1 },
      redacted: 3,
      stopped: [],
      unread: [],
    })
    const shown = JSON.stringify(expected.answer)
    for (const value of ['567', '4111', MAIL]) expect(shown).not.toContain(value)
    for (const events of [once, letters, ...Array.from({ length: 30 }, (__, seed) => cuts(seed))]) {
      const { answer, scan } = await stream(REDACT, events, isJson)
      expect(scan).toEqual(expected.scan)
      expect(answer).toEqual(expected.answer)
    }
  })

  it('is counted where it is only reported, and every item passes at once', async () => {
    for (const events of [once, letters, cuts(3)]) {
      const { given, passed, scan } = await stream(REPORT, events, isJson)
      expect(passed).toEqual(given)
      expect(scan).toMatchObject({ coverage: 'full', found: { email_address: 1, pps_number: 1, payment_card: 1 } })
    }
  })

  it('ends the answer where it is blocked, and nothing of it passes', async () => {
    const uncut = await whole(BLOCK, assembleAnswer(once.flat()), isJson)
    expect(uncut.stoppedFor).toEqual(['payment_card'])
    expect(uncut.scan).toMatchObject({ coverage: 'none', stopped: ['payment_card'] })
    for (const events of [once, letters, cuts(4), cuts(5)]) {
      const { passed, stoppedFor, scan } = await stream(BLOCK, events, isJson)
      expect(stoppedFor).toEqual(['payment_card'])
      expect(scan.found).toEqual(uncut.scan.found)
      expect(JSON.stringify(passed.map((one) => one.events))).not.toMatch(/4111|7FA|"end"/)
    }
  })
})

describe('an answer without a value', () => {
  const clean = [
    [{ type: 'start', id: 'a', model: 'm' } as const],
    [thought('Hm. ')],
    [thought('', 'seal')],
    [text('Blood pressure 120/80 on 5 mg ')],
    [text('of amlodipine, reviewed with the nurse.')],
    [call()],
    [written('{"note":')],
    [written('"well"}')],
    [{ type: 'signature', choice: 0, signature: 'seal' } as const],
    [finish()],
    [END],
  ]

  it.each([
    ['redact', REDACT],
    ['block', BLOCK],
    ['report', REPORT],
  ])('passes as it came under %s', async (_, rule) => {
    const { given, passed, scan } = await stream(rule, clean)
    expect(passed.map(({ raw, events }) => ({ raw, events }))).toEqual(
      given.map(({ raw, events }) => ({ raw, events })),
    )
    expect(scan).toEqual({ coverage: 'full', found: {}, redacted: 0, stopped: [], unread: [] })
    expect((await whole(rule, assembleAnswer(clean.flat()))).isSame).toBe(true)
  })
})

describe('a stream that hides a value', () => {
  it('behind the end of its choice is refused', async () => {
    const events = [[text('Her PPS number is 1234')], [finish()], [text('567FA, as she says.')], [END]]
    await expect(stream(REDACT, events)).rejects.toThrow('text behind its end')
    expect((await stream(REPORT, events)).scan.found).toEqual({ pps_number: 1 })
  })

  it.each([
    ['blanks', ' '],
    ['no-break spaces', '\u00a0'],
    ['what nobody sees', '\u200b'],
    ['lines', '\n'],
  ])('behind many %s does not pass', async (_, gap) => {
    for (const many of [70, 600, 2600, 30_000]) {
      const said = `The patient PPSN${gap.repeat(many)}1234567FA and the card 4111 1111${gap.repeat(many)}1111 1111 were noted`
      const found = (await stream(REPORT, [[text(said)], [END]])).scan.found
      const { passed, scan } = await stream(REDACT, [
        ...pieces(said, seededRandom(many)).map((piece) => [text(piece)]),
        [finish()],
        [END],
      ])
      expect(scan.found).toEqual(found)
      if (found['pps_number'] === 1)
        expect(JSON.stringify(passed.map(({ events }) => events))).not.toContain('1234567FA')
    }
  })

  it('that is stopped by a page does not say that it has finished', async () => {
    const pages: StreamEvent = { type: 'citations', citations: [{ url: 'https://example.ie', title: MAIL }] }
    const { passed } = await stream({ default: 'block' }, [[pages, finish(), END]])
    expect(passed).toEqual([])
  })
})

describe('thinking', () => {
  it('ends before the text, which then need not wait', async () => {
    const reader = createAnswerReader(REDACT, false, noTurn)
    const passed = []
    for (const event of [
      thought('Hm. '),
      thought('', 'seal'),
      text('The patient was reviewed well '),
      text('by the practice nurse '),
    ])
      passed.push(...(await reader.read(item(event))))
    expect(passed.flatMap(({ events }) => events).map(({ type }) => type)).toEqual(['thinking', 'thinking', 'text'])
  })
})

describe('what does not go out', () => {
  it('is not said to be read', async () => {
    const reader = createAnswerReader({ default: 'block' }, true, noTurn)
    await reader.read(item(text(JSON.stringify({ mail: MAIL }))))
    expect(await reader.finish()).toEqual({ coverage: 'none', found: {}, redacted: 0, stopped: [], unread: [] })
  })
})

describe('what seals an answer', () => {
  it('is left out where the answer was changed', async () => {
    const { answer } = await stream(REDACT, [
      [thought(SAID)],
      [thought('', 'seal')],
      [text(SAID)],
      [call()],
      [written(ARGUMENTS)],
      [{ type: 'signature', choice: 0, signature: 'seal' }],
      [finish()],
    ])
    expect(JSON.stringify(answer)).not.toContain('seal')
    expect(answer.choices[0]?.thoughts).toBeUndefined()
    expect(JSON.parse(answer.choices[0]?.toolCalls[0]?.arguments ?? '')).toEqual({
      pps_number: '[PPS_NUMBER]',
      note: 'card [PAYMENT_CARD]',
      mail: '[EMAIL_ADDRESS]',
      count: 3,
    })
  })
})

describe('a chunk of the standard', () => {
  const chunk = (choice: object, more: object = {}): StreamItem => {
    const data = JSON.stringify({
      id: 'c',
      choices: [{ index: 0, ...choice }],
      system_fingerprint: 'fp_1234567',
      ...more,
    })
    const { delta = {} } = choice as { delta?: { content?: string } }
    const events = delta.content === undefined ? [] : [text(delta.content)]
    return { raw: encoder.encode(`data: ${data}\n\n`), data, json: parseJson(data), events }
  }

  it('is written anew where a value touches it, without log probabilities, which repeat the text', async () => {
    const reader = createAnswerReader(REDACT, false, noTurn)
    reader.passBytes()
    const given = [
      chunk({
        delta: { role: 'assistant', content: 'Her PPS number is 1234' },
        logprobs: { content: [{ token: '1234' }] },
      }),
      chunk({ delta: { content: '567FA.' }, logprobs: { content: [{ token: '567FA.' }] } }),
      chunk({ delta: { content: ' Thank you.' }, logprobs: null }),
    ]
    for (const one of given) expect(await reader.read(one)).toEqual([])
    const [first, second, third] = await reader.end()
    expect(first?.json).toEqual({
      id: 'c',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Her PPS number is [PPS_NUMBER]' }, logprobs: null }],
      system_fingerprint: 'fp_1234567',
    })
    expect(new TextDecoder().decode(second?.raw)).toBe(`data: ${second?.data}\n\n`)
    expect(second?.json).toMatchObject({ choices: [{ delta: { content: '.' }, logprobs: null }] })
    expect(third?.raw).toBe(given[2]?.raw)
    const late = chunk({ delta: {}, logprobs: { content: [{ token: '1234567FA' }] } })
    const [rest] = [...(await reader.read(late)), ...(await reader.end())]
    expect(rest?.json).toMatchObject({ choices: [{ logprobs: null }] })
  })

  it.each([
    ['a member of the chunk', chunk({ delta: { content: 'Well.' } }, { search_results: [{ snippet: PPS }] })],
    ['a member of a message', chunk({ delta: { content: 'Well.', reasoning_content: PPS } })],
    ['a number', chunk({ delta: { content: 'Well.', weight: 1234567 } })],
    ['content in parts', chunk({ delta: { content: undefined, parts: [PPS] } })],
  ])('goes out unread with %s that only its provider has, and the scan says so', async (_, one) => {
    const reader = createAnswerReader(REDACT, false, noTurn)
    reader.passBytes()
    await reader.read(one)
    expect(await reader.end()).toEqual(expect.arrayContaining([]))
    expect(await reader.finish()).toMatchObject({ coverage: 'partial', unread: ['provider_members'] })
  })
})

describe('pages', () => {
  const pages: StreamEvent = {
    type: 'citations',
    citations: [
      { url: 'https://example.ie/2026-11-29/guide', title: 'A guide' },
      { url: 'https://example.ie/g', title: `For ${MAIL}` },
      { url: `https://example.ie/?to=${MAIL}`, title: null },
    ],
  }

  it('lose the value in a title, and are left out with one in their address', async () => {
    const { answer, scan } = await stream(REDACT, [[text('Well.')], [pages], [pages], [finish()], [END]])
    expect(answer.citations).toEqual([
      { url: 'https://example.ie/2026-11-29/guide', title: 'A guide' },
      { url: 'https://example.ie/g', title: 'For [EMAIL_ADDRESS]' },
    ])
    expect(scan).toMatchObject({ found: { email_address: 2 }, redacted: 2 })
  })

  it('end the answer', async () => {
    const { stoppedFor, answer } = await stream({ default: 'block' }, [[text('Well.')], [pages], [finish()], [END]])
    expect(stoppedFor).toEqual(['email_address'])
    expect(answer.citations).toEqual([])
  })
})

describe('what cannot be read', () => {
  const sealed: StreamEvent = { type: 'thinking', choice: 0, index: 0, piece: { type: 'redacted_thinking', data: 'x' } }

  it('is named', async () => {
    const { scan } = await stream(REDACT, [[sealed], [text('Well.')], [finish()], [END]])
    expect(scan).toMatchObject({ coverage: 'partial', unread: ['sealed_thinking'] })
  })

  const long = [...Array.from({ length: 17 }, () => [text('a b '.repeat(16 * 1024))]), [text(PPS)], [finish()], [END]]

  it('passes beyond the limit where values are only counted', async () => {
    const { given, passed, scan } = await stream(REPORT, long)
    expect(passed).toEqual(given)
    expect(scan).toEqual({ coverage: 'partial', found: {}, redacted: 0, stopped: [], unread: ['too_long'] })
  })

  it('ends the answer where values are taken out', async () => {
    const { stoppedFor, passed } = await stream(REDACT, long)
    expect(stoppedFor).toEqual(['too_long'])
    expect(JSON.stringify(passed.map((one) => one.events))).not.toContain(PPS)
  })

  it('is nothing of an answer of which nothing went out', async () => {
    const reader = createAnswerReader(REDACT, false, noTurn)
    expect(await reader.finish()).toMatchObject({ coverage: 'none' })
  })
})

describe('a long search', () => {
  it('waits for turns, and lets others run', async () => {
    let turns = 0
    const reader = createAnswerReader(REDACT, false, () => {
      turns += 1
      return Promise.resolve()
    })
    const passed = await reader.read(item(text(`${SAID} `.repeat(400)), finish()))
    expect(assembleAnswer(passed.flatMap(({ events }) => events)).choices[0]?.text).not.toContain(PPS)
    expect(turns).toBeGreaterThan(10)
  })
})
