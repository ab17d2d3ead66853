// Tests the addresses of a name, from a resolver over HTTPS: the name is refused unless every address is public.
import { describe, expect, it } from 'vitest'
import { answerDns, type Hosts } from '../../../scripts/local/servers/dns-answer.ts'
import { decodeDnsAnswer, DnsAnswerError, encodeDnsQuestion } from '../../../src/notifications/dns-message.ts'
import { checkHost } from '../../../src/notifications/check-host.ts'

const HOSTS: Hosts = {
  'public.example': ['1.1.1.1', '2606:4700:4700::1111'],
  'v4.example': ['1.1.1.1'],
  'v6.example': ['2606:4700:4700::1111'],
  'private.example': ['10.0.0.1'],
  'one-private.example': ['1.1.1.1', '1.0.0.1', '192.168.0.1'],
  'private-v6.example': ['1.1.1.1', '::1'],
  'empty.example': [],
}

const resolver =
  (answer = (question: Uint8Array): Response => new Response(answerDns(question, HOSTS))) =>
  async (_url: string, init: RequestInit): Promise<Response> =>
    Promise.resolve(answer(init.body as Uint8Array))

const judge = (host: string, fetch = resolver()) =>
  checkHost(host, { resolverUrl: 'https://resolver.example/dns-query', fetch, signal: new AbortController().signal })

describe('a name', () => {
  it.each([
    ['public.example', 'good'],
    ['v4.example', 'good'],
    ['v6.example', 'good'],
    ['private.example', 'not_public'],
    ['one-private.example', 'not_public'],
    ['private-v6.example', 'not_public'],
    ['empty.example', 'not_resolved'],
    ['unknown.example', 'not_resolved'],
  ])('%s is %s', async (host, expected) => {
    expect(await judge(host)).toBe(expected)
  })
})

describe('a resolver that fails lets nothing through', () => {
  const good = (question: Uint8Array): Uint8Array<ArrayBuffer> => answerDns(question, HOSTS)
  it.each<[string, (question: Uint8Array) => Response]>([
    ['by its status', (question) => new Response(good(question), { status: 500 })],
    ['by sending on', () => new Response(null, { status: 302, headers: { location: 'https://other.example' } })],
    ['with nothing', () => new Response()],
    ['with text', () => new Response('1.1.1.1')],
    ['cut short', (question) => new Response(good(question).slice(0, -1))],
    ['with a truncated answer', (question) => new Response(good(question).with(2, 0x83))],
    ['with SERVFAIL', (question) => new Response(good(question).with(3, 0x82))],
    ['with REFUSED', (question) => new Response(good(question).with(3, 0x85))],
    ['with the question', (question) => new Response(question.slice())],
    ['with too much', () => new Response(new Uint8Array(70_000))],
    [
      'for one of the two types',
      (question) => (question.at(-3) === 28 ? new Response(null, { status: 503 }) : new Response(good(question))),
    ],
  ])('%s', async (_, answer) => {
    expect(await judge('public.example', resolver(answer))).toBe('not_resolved')
  })

  it('by not being reached', async () => {
    expect(await judge('public.example', () => Promise.reject(new Error('no network')))).toBe('not_resolved')
  })
})

describe('a DNS answer', () => {
  const question = encodeDnsQuestion('www.example.com', 1)

  it('is asked for as RFC 8484 has it', () => {
    // The question of its section 4.1.1.
    expect(question.toHex()).toBe('00000100000100000000000003777777076578616d706c6503636f6d0000010001')
  })

  it('is read with names in full and other records between', () => {
    // The answer of its section 4.2.2, after an alias.
    const name = '03777777076578616d706c6503636f6d00'
    const alias = `${name}00050001000000800002c00c`
    const record = `${name}0001000100000080000401020304`
    const bytes = Uint8Array.fromHex(`000081800001000200000000${name}00010001${alias}${record}`)
    expect(decodeDnsAnswer(bytes, 1).map((address) => address.join('.'))).toEqual(['1.2.3.4'])
    expect(decodeDnsAnswer(bytes, 28)).toEqual([])
  })

  it('is refused wherever it is cut', () => {
    const whole = answerDns(encodeDnsQuestion('v4.example', 1), HOSTS)
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => decodeDnsAnswer(whole.slice(0, length), 1), String(length)).toThrow(DnsAnswerError)
    }
  })
})
