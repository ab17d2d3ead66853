// A value in a text with markup is replaced as it is read. The markup stays.
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../scripts/seeded-random.ts'
import { redactRequest } from '../../../../src/gateway/scan/redact-request.ts'
import { runSteps } from '../../../../src/platform/computation-steps.ts'
import { textMessage } from '../../../../src/providers/chat-request.ts'
import { readMarkup } from '../../../../src/scanning/identifiers/markup/find-in-markup.ts'
import { createRestorer } from '../../../../src/scanning/redaction/placeholders.ts'
import { runs } from '../../../support/runs.ts'
import { chooseLetter } from '../identifiers/markup/letters.ts'
import { RENDERERS, SPLITTING } from '../identifiers/markup/renderers.ts'

function redact(...texts: string[]) {
  const messages = texts.map((text) => textMessage('user', text))
  const { request, counts, values } = redactRequest({ messages }, { default: 'redact' })
  const written = request.messages.flatMap(({ content }) =>
    content.flatMap((part) => ('text' in part ? [part.text] : [])),
  )
  return { written, counts, values }
}

describe('a value', () => {
  it.each([
    ['seen 12/03/<b>1954</b>', 'seen [DATE_1]<b></b>', '12/03/1954'],
    ['<td>0</td><td>87 <i>123</i> 4567</td>', '<td>[PHONE_NUMBER_1]</td><td><i></i></td>', '0 87 123 4567'],
    ['<b>MRN</b> <i>77</i><i>8812</i>', '<b>MRN</b> <i>[HOSPITAL_RECORD_NUMBER_1]</i><i></i>', '778812'],
    ['<a href="tel:0871234567">ring</a>', '<a href="tel:[PHONE_NUMBER_1]">ring</a>', '0871234567'],
    ['{\\rtf1 Tel 086\\~{\\b 555}\\~0199\\par}', '{\\rtf1 Tel [PHONE_NUMBER_1]{\\b }\\par}', '086 555 0199'],
    ['Tel 087**1234567**', 'Tel [PHONE_NUMBER_1]****', '0871234567'],
    ['Ring 087 12=\n3 4567 today.', 'Ring [PHONE_NUMBER_1]=\n today.', '087 123 4567'],
    ['Seen.\\.br\\MRN\\.br\\778812', 'Seen.\\.br\\MRN\\.br\\[HOSPITAL_RECORD_NUMBER_1]', '778812'],
  ])('in %j leaves %j', (text, written, value) => {
    const redacted = redact(text)
    expect(redacted.written).toEqual([written])
    expect([...redacted.values.values()]).toEqual([value])
  })

  it('has one placeholder with and without markup', () => {
    expect(redact('seen 12/03/<b>1954</b>, and 12/03/1954').written).toEqual(['seen [DATE_1]<b></b>, and [DATE_1]'])
  })

  it('is found beside a text that is a segment of HL7', () => {
    expect(redact('OBX|1|FT|||ok', 'O87 |23 4567').counts).toEqual(redact('O87 |23 4567').counts)
  })

  it('in JSON leaves JSON', () => {
    const json = JSON.stringify({ html: '<b>MRN</b> <i>77</i><i>8812</i>' }).replaceAll('/', '\\/')
    const expected = '{"html":"<b>MRN<\\/b> <i>[HOSPITAL_RECORD_NUMBER_1]<\\/i><i><\\/i>"}'
    expect(redact(json).written).toEqual([expected])
    const call = { id: 'c', name: 'f', arguments: json }
    const { request } = redactRequest(
      { messages: [{ role: 'assistant', content: [], toolCalls: [call] }] },
      { default: 'redact' },
    )
    expect(request.messages[0]).toMatchObject({ toolCalls: [{ arguments: expected }] })
  })

  it('over two messages leaves the markup of both', () => {
    const { written, counts } = redact('Ring <b>087</b> <i>123</i>', '<b>45</b>67 today')
    expect(written).toEqual(['Ring <b>[PHONE_NUMBER_1]</b><i></i>', '<b>[PHONE_NUMBER_2]</b> today'])
    expect(counts).toEqual({ phone_number: 1 })
  })
})

/** Returns what a person reads, without blanks. */
function visible(text: string, forms = 3): string {
  const { readings, takesPlace } = runSteps(readMarkup(text))
  const [reading] = readings
  if (takesPlace && reading !== undefined && forms > 0) return visible(reading.text, forms - 1)
  return text.replace(/\s+/g, '')
}

const MAIL = /quoted-printable/

describe.each(Object.entries({ ...RENDERERS, ...SPLITTING }))('%s', (name, render) => {
  it('keeps its markup, loses its values, and has them again when they are restored', () => {
    const random = createRandom(7)
    for (let count = 0; count < runs(40); count += 1) {
      const plain = chooseLetter(random)
      const { text } = render(plain, random)
      const { written, values, counts } = redact(text)
      const [of = ''] = written
      const unmarked = redact(plain)
      if (!(name in SPLITTING)) expect({ text, counts }).toEqual({ text, counts: unmarked.counts })
      expect(of.match(/<[^>]*>/g)).toEqual(text.match(/<[^>]*>/g))
      // A value comes back as it is read: not encoded again for mail, its braces not escaped again for RTF.
      if (MAIL.test(name) || /[{}]/.test(plain)) continue
      expect({ of, again: redact(of).counts }).toEqual({ of, again: redact(...unmarked.written).counts })
      expect(visible(createRestorer(values).restore(of, 'plain'))).toBe(visible(text))
    }
  })
})
