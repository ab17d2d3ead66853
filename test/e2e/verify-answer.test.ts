// countersign-verify on a caller's copy of an answer beside its bundle: as the gateway gives both, and after a change.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answer, makeEvidence, oldKey } from '../fixtures/evidence/invented-evidence.ts'
import { postJson, withKey } from '../support/e2e/deployment.ts'
import { ask, sharedGateway, type Gateway } from '../support/e2e/gateway.ts'
import { keepFile, verify } from '../support/e2e/verify.ts'
import { until } from '../support/until.ts'

let gateway: Gateway
let pinned: string
beforeAll(async () => {
  gateway = await sharedGateway()
  pinned = await gateway.publicKey()
})
beforeEach(() => gateway.emulator.reset())

type Bundle = { settlement: object | null }

async function answered(
  tier: 'pro' | 'free',
  path: string,
  body: object,
  policy?: object,
): Promise<{ text: string; bundle: Bundle }> {
  const created = await gateway.createKey({ tier }, { scopes: ['chat', 'manage'] })
  if (policy !== undefined) await gateway.putPolicy(created, policy)
  const { key } = created
  const response = await gateway.service.fetch(path, postJson(key, body))
  const text = await response.text()
  const fetchBundle = async (): Promise<Bundle> => {
    const id = response.headers.get('x-aqta-attestation-id')
    const shown = await gateway.service.fetch(`/v1/attestations/${id}?bundle=true`, withKey(key))
    return (await shown.json()) as Bundle
  }
  const isWhole = ({ settlement }: Bundle): boolean => text.includes('"status":"blocked"') || settlement !== null
  return { text, bundle: await until('the bundle has the settlement', fetchBundle, isWhole) }
}

/** Returns the check of a copy beside a document: its exit code and what it says. */
const checkBeside =
  (document: object | string, key: string) =>
  async (copy: string): Promise<[status: number, said: string]> => {
    const { status, said } = await verify(keepFile(document), '--answer', keepFile(copy), '--key', key)
    return [status, said]
  }

const chat = '/v1/chat/completions'
const responses = '/v1/responses'

describe('an answer of the gateway', () => {
  it.each<[string, string, object, RegExp]>([
    ['whole', chat, ask('gpt-4.1-mini'), /"content":"/],
    ['streamed', chat, ask('gpt-4.1-mini', { stream: true }), /"content":"(?!")/],
    ['translated and streamed', chat, ask('claude-haiku-4-5', { stream: true }), /"content":"(?!")/],
    ['of the Responses API', responses, { model: 'gpt-4.1-mini', input: 'One answer.' }, /"text":"/],
    ['of the Responses API, streamed', responses, { model: 'gpt-4.1-mini', input: 'Two.', stream: true }, /"delta":"/],
  ])('is proven by its bundle, and no other text is: %s', async (_, path, body, place) => {
    const { text, bundle } = await answered('pro', path, body)
    const check = checkBeside(bundle, pinned)
    expect(await check(text)).toEqual([0, expect.stringMatching(/^valid +answer  1 choice/m)])
    const changed = text.replace(place, (found) => `${found}9`)
    expect(changed).not.toBe(text)
    expect(await check(changed)).toEqual([1, expect.stringContaining('(answer_mismatch)')])
  })

  it('that is a refusal is proven by its bundle, and no other cost is', async () => {
    const { text, bundle } = await answered('free', chat, ask('claude-opus-5'))
    const check = checkBeside(bundle, pinned)
    expect(await check(text)).toEqual([0, expect.stringMatching(/^valid +answer  error /m)])
    const changed = text.replace('"cost_eur":0', '"cost_eur":1')
    expect(await check(changed)).toEqual([1, expect.stringContaining('(cost_differs)')])
  })
})

describe('an answer that was searched', () => {
  const said = 'Her PPS number is 1234567FA, as the card says, and the practice nurse will ring her again next week.'
  const answers = (action: string) => ({ pii_scan: { default: 'ignore', answers: { default: action } } })
  const echoed = (more: object, action: string, path = chat) => {
    gateway.emulator.behave('openai', ['echo,5'])
    const asked = path === chat ? { messages: [{ role: 'user', content: said }] } : { input: said }
    return answered('pro', path, { model: 'gpt-4.1-mini', ...asked, ...more }, answers(action))
  }

  it.each<[string, string, object]>([
    ['whole', chat, {}],
    ['streamed', chat, { stream: true }],
    ['of the Responses API, streamed', responses, { stream: true }],
  ])('is proven as it was sent, without the value: %s', async (_, path, more) => {
    const { text, bundle } = await echoed(more, 'redact', path)
    const [status, found] = await checkBeside(bundle, pinned)(text)
    expect([status, found]).toEqual([0, expect.stringMatching(/^valid +answer  1 choice/m)])
    expect(found).toMatch(/^valid +answer_scan  .*full.*1 found.*1 taken out/m)
    const [other] = await checkBeside(bundle, pinned)(text.replaceAll('[PPS_NUMBER]', '1234567FA'))
    expect(other).toBe(1)
  })

  it('is a proven error where it was stopped whole, and no other reason is', async () => {
    const { text, bundle } = await echoed({}, 'block')
    expect(text).toContain('"found: pps_number"')
    const check = checkBeside(bundle, pinned)
    expect(await check(text)).toEqual([0, expect.stringMatching(/^valid +answer  error answer_blocked/m)])
    const changed = text.replace('found: pps_number', 'found: iban')
    expect(await check(changed)).toEqual([1, expect.stringContaining('(reason_differs)')])
  })

  it('is proven up to where its stream was stopped, with its error', async () => {
    const { text, bundle } = await echoed({ stream: true }, 'block')
    expect(text).toContain('answer_blocked')
    expect(await checkBeside(bundle, pinned)(text)).toEqual([0, expect.stringMatching(/^valid +answer  1 choice/m)])
  })
})

describe('an answer that cannot be compared', async () => {
  const { bundle, record } = await makeEvidence()

  it('may be less than was sent, which is not proven', async () => {
    const less = answer.answer.replace('"finish_reason":"stop"', '"finish_reason":null')
    expect(await checkBeside(bundle, oldKey.publicKey)(less)).toEqual([
      1,
      expect.stringMatching(/^not proven +answer /m),
    ])
  })

  it.each<[string, object | string, string]>([
    ['beside a record', record, answer.answer],
    ['beside lines', `${JSON.stringify(record)}\n${JSON.stringify(record)}`, answer.answer],
    ['with a member twice', bundle, '{"choices":[],"choices":[]}'],
    ['that is a plain text', bundle, 'Take two a day.'],
    ['over 16 MiB', bundle, `{"a":"${'x'.repeat(16 * 1024 * 1024)}"}`],
  ])('ends with 2: %s', async (_, document, copy) => {
    const [status, said] = await checkBeside(document, oldKey.publicKey)(copy)
    expect(status).toBe(2)
    expect(said).not.toMatch(/^valid|went wrong|For one record/m)
  })
})
