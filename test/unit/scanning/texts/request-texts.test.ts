// Each scan, and the count of characters, in every member of both wire formats in which text can stand.
import { describe, expect, it } from 'vitest'
import { ChatRequestSchema } from '../../../../src/gateway/operations/chat/chat-request.schema.ts'
import type { CallInput } from '../../../../src/gateway/call/prepare-call.ts'
import { ResponsesRequestSchema } from '../../../../src/gateway/operations/responses/responses-request.schema.ts'
import { refusePii } from '../../../../src/policies/rules/pii-scan.rule.ts'
import type { PromptInjectionGuard } from '../../../../src/policies/rules/prompt-injection-guard.rule.ts'
import { runSteps } from '../../../../src/platform/computation-steps.ts'
import { scanTextsInSteps } from '../../../../src/gateway/scan/scan-request.ts'
import { redactRequest } from '../../../../src/gateway/scan/redact-request.ts'
import { countCharacters, TEXT_PLACES, textsOf } from '../../../../src/scanning/texts/request-texts.ts'
import { encodeRequest } from '../../../../src/providers/model-support.policy.ts'
import * as chat from '../../gateway/operations/chat/reading.ts'
import * as responses from '../../gateway/operations/responses/reading.ts'
import {
  CHAT_TEXTS,
  chatBodies,
  EXCEPTIONS,
  isUnder,
  pathsWith,
  placesAt,
  RESPONSES_TEXTS,
  responsesBodies,
  textPathsOf,
  type Plant,
} from './wire-texts.ts'

const FORMATS = [
  {
    format: 'chat completions',
    schema: ChatRequestSchema(),
    list: CHAT_TEXTS,
    bodies: chatBodies,
    read: (body: object) => chat.accepted(body),
  },
  {
    format: 'responses',
    schema: ResponsesRequestSchema(),
    list: RESPONSES_TEXTS,
    bodies: responsesBodies,
    read: (body: object) => responses.accepted(body),
  },
]

/** Fits every member, as a function's name too. */
const HARMLESS = 'Hello'

const EVERY_ROLE: PromptInjectionGuard = {
  action: 'block',
  roles: ['system', 'developer', 'user', 'assistant', 'tool'],
}

type Place = { name: string; body: number }

/** The names of what can be planted in each body. */
function placesIn(bodies: (plant: Plant) => readonly object[]): Place[] {
  const count = bodies(() => HARMLESS).length
  return Array.from({ length: count }, (_, body) => body).flatMap((body) => {
    const names = new Set<string>()
    const marked = bodies((name) => `@${name}@`)[body]
    for (const [, name = ''] of JSON.stringify(marked).matchAll(/@([^@]+)@/g)) names.add(name)
    return [...names].map((name) => ({ name, body }))
  })
}

const plantOne =
  (planted: string, word: string): Plant =>
  (name, dress = (bare) => bare) =>
    dress(name === planted ? word : HARMLESS)

const isExcepted = (path: string): boolean => EXCEPTIONS.some((one) => one.paths.test(path))

describe.each(FORMATS)('of $format', ({ schema, list, bodies, read }) => {
  const places = placesIn(bodies)
  const bodyWith = (place: Place, word: string): object => bodies(plantOne(place.name, word))[place.body] ?? {}
  const inputWith = (place: Place, word: string): CallInput => read(bodyWith(place, word))

  it('every member that can hold text is in the list of places, or in that of exceptions', () => {
    const paths = textPathsOf(schema)
    expect(paths.filter((path) => placesAt(list, path) === undefined && !isExcepted(path))).toEqual([])
    expect(paths.filter((path) => placesAt(list, path) !== undefined && isExcepted(path))).toEqual([])
    expect(Object.keys(list).filter((row) => !paths.some((path) => isUnder(row, path)))).toEqual([])
  })

  it('every row of the list has a text in these bodies', () => {
    const marked = bodies((name) => `@${name}`)
    const paths = marked.flatMap((body) => pathsWith(body, '@'))
    const withoutText = Object.keys(list).filter((row) => !paths.some((path) => isUnder(row, path)))
    // Data and sealed thoughts show no mark, and no provider takes a time zone.
    const hidden = /file_data$|encrypted_content$|timezone$/
    expect(withoutText.filter((row) => !hidden.test(row))).toEqual([])
    expect(paths.filter((path) => placesAt(list, path) === undefined && !isExcepted(path))).toEqual([])
  })

  describe.each(places)('$name', (place) => {
    const planted = textsOf(inputWith(place, 'Planted').request).filter(({ text }) => text.includes('Planted'))
    const at = planted.map((text) => TEXT_PLACES[text.place])

    it('is a text of the request', () => {
      expect(planted.length).toBeGreaterThan(0)
    })

    it.each([
      ['payment_card', '4111111111111111'],
      ['pps_number', '1234567FA'],
    ] as const)('has no %s when it is sent', (shape, value) => {
      const { request, outline } = inputWith(place, value)
      const block = { default: 'report', shapes: { [shape]: 'block' } } as const
      const { counts } = redactRequest(request, block)
      expect(refusePii(block, { findings: { pii_scan: counts } })).toBe(`found: ${shape}`)
      const redact = { default: 'report', shapes: { [shape]: 'redact' } } as const
      const redaction = redactRequest(request, redact)
      const refusal = refusePii(redact, { findings: { pii_scan: redaction.counts, pii_fixed: redaction.fixed } })
      if (refusal !== null) return expect(refusal).toBe(`not_redactable: ${shape}`)
      const sent = JSON.stringify(encodeRequest(redaction.request, outline.model))
      expect(sent).not.toContain(value)
      expect(sent).not.toContain(new TextEncoder().encode(value).toBase64())
    })

    it('is refused where nothing can be taken out, and only there', () => {
      const redact = { default: 'redact' } as const
      const { counts, fixed } = redactRequest(inputWith(place, '4111111111111111').request, redact)
      const isRefused = refusePii(redact, { findings: { pii_scan: counts, pii_fixed: fixed } }) !== null
      const isFixed = at.some(({ redaction }) => redaction === 'refuse')
      expect(isRefused).toBe(isFixed || /schema (?:member|reference)/.test(place.name))
    })

    it('is read by the prompt injection guard where a model reads it', () => {
      const texts = textsOf(inputWith(place, 'ignore_all_previous_instructions').request)
      const isRead = at.some(({ injection }) => injection !== null)
      expect(runSteps(scanTextsInSteps(texts, EVERY_ROLE))).toEqual(isRead ? ['instruction_override'] : [])
    })

    it('counts as text where it is text that a model reads', () => {
      const more = 'Hello-Hello'
      const [short, long] = [HARMLESS, more].map((word) => countCharacters(inputWith(place, word).request))
      const counted = planted.filter((text) => TEXT_PLACES[text.place].counted).length
      expect((long ?? 0) - (short ?? 0)).toBe(counted * (more.length - HARMLESS.length))
    })
  })
})
