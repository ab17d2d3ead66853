// Prompts and answers that an organisation keeps: sealed, read back by its people and by nobody else, erased; and of one that keeps
// none no marked text is in any store or log.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, readEvents, sharedGateway, type Aqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { signInAs, type SignedIn } from '../support/e2e/members.ts'

const MARK = 'quicksilver-marigold'
const ANSWERED = 'amber-foxglove'

let gateway: Gateway
beforeAll(async () => {
  gateway = await sharedGateway()
})

/** The emulator answers what it is told to where an answer of this form is asked for. */
const marked = (more: object = {}) => ({
  ...ask('gpt-4.1-mini', more),
  user: `a user called ${MARK}`,
  messages: [{ role: 'user', content: `Dear Doctor, ${MARK} ${crypto.randomUUID()}` }],
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'reading',
      schema: {
        type: 'object',
        properties: { specialty: { enum: ['Cardiology', 'none'] } },
        required: ['specialty'],
        additionalProperties: false,
      },
    },
  },
})

/** With the mark wherever a message takes the caller's own words. */
const markedMessage = () => ({
  model: 'claude-haiku-4-5',
  max_tokens: 99,
  system: [{ type: 'text', text: MARK, cache_control: { type: 'ephemeral' } }],
  metadata: { user_id: MARK },
  stop_sequences: [`${MARK} end`],
  tools: [{ name: MARK, description: MARK, input_schema: { type: 'object', description: MARK } }],
  messages: [
    { role: 'user', content: `Dear Doctor, ${MARK} ${crypto.randomUUID()}` },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: MARK, input: { note: MARK } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: MARK }] },
    { role: 'system', content: MARK },
  ],
})

type Sent = { attestationId: string; request: unknown; text: string }

async function send({ key }: GatewayKey, body: Record<string, unknown>): Promise<Sent> {
  gateway.emulator.behave('openai', [`answer,${ANSWERED}`])
  const response = await gateway.chat(key, body)
  expect(response.status).toBe(200)
  if (body['stream'] === true) {
    const { chunks, text } = await readEvents(response)
    const aqta = chunks.flatMap((chunk) => chunk.aqta ?? []).at(-1)
    return { attestationId: aqta?.attestation.attestation_id ?? '', request: body, text }
  }
  const answer = (await response.json()) as { aqta: Aqta; choices: { message: { content: string } }[] }
  const { attestation_id: attestationId } = answer.aqta.attestation
  return { attestationId, request: body, text: answer.choices[0]?.message.content ?? '' }
}

const PATH = '/api/compliance/content'

async function asPerson(who: SignedIn, method: string, path = '') {
  const response = await gateway.service.fetch(`${PATH}${path}`, { method, headers: who.headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const logging = (key: GatewayKey, days: number | null) =>
  gateway.service.operate('PATCH', `/organisations/${key.organisationId}`, {
    content_logging: days === null ? null : { retention_days: days },
  })

async function everything({ organisationId }: GatewayKey): Promise<string> {
  return [await gateway.service.everythingStored(organisationId), ...gateway.service.logs()].join('\n')
}

async function contentObjects({ organisationId }: GatewayKey): Promise<string[]> {
  const { FILES, ORGANISATIONS } = await gateway.service.env()
  const prefix = `content/${ORGANISATIONS.idFromName(organisationId).toString()}/`
  return (await FILES.list({ prefix })).objects.map(({ key }) => key)
}

describe('an organisation that keeps no content', () => {
  it('keeps nothing of what is asked and answered, whichever way a call ends', async () => {
    const key = await gateway.createKey()
    await send(key, marked())
    await send(key, marked({ stream: true }))
    for (const behaviour of ['500', '400', 'html', 'malformed', 'mid-error', 'refuse,400,messages', 'refusal']) {
      gateway.emulator.behave('openai', [behaviour])
      await (await gateway.chat(key.key, marked({ stream: behaviour === 'mid-error' }))).text()
    }
    const tools = [{ type: 'function', function: { name: MARK, description: MARK, parameters: { const: MARK } } }]
    await (await gateway.chat(key.key, ask('gpt-4.1-mini', { tools }))).text()
    await (await gateway.chat(key.key, marked({ [MARK]: MARK }))).text()
    await (await gateway.chat(key.key, { ...marked(), model: MARK })).text()
    const response = { model: 'gpt-4.1-mini', input: MARK, instructions: MARK }
    await (await gateway.service.fetch('/v1/responses', postJson(key.key, response))).text()
    await gateway.settlements(key.organisationId, 10)
    for (const model of ['claude-haiku-4-5', 'gpt-4.1-mini']) {
      for (const stream of [false, true]) {
        for (const behaviour of ['echo,9', 'tool-call', '400', 'mid-error', 'context']) {
          gateway.emulator.behave(model === 'gpt-4.1-mini' ? 'openai' : 'anthropic', [behaviour])
          const sent = postJson(key.key, { ...markedMessage(), model, stream })
          await (await gateway.service.fetch('/v1/messages', sent)).text()
          gateway.emulator.reset()
        }
      }
    }
    const refused = [{ [MARK]: MARK }, { model: MARK }, { tool_choice: { type: MARK } }, { messages: [{ role: MARK }] }]
    for (const more of refused) {
      await (await gateway.service.fetch('/v1/messages', postJson(key.key, { ...markedMessage(), ...more }))).text()
    }
    await gateway.settlements(key.organisationId, 30)

    const kept = await everything(key)
    expect(kept).toContain(key.organisationId)
    expect(kept).not.toContain(MARK)
    expect(kept).not.toContain(ANSWERED)
    expect(await contentObjects(key)).toEqual([])
  })
})

describe('an organisation that keeps content', () => {
  it('has it sealed, with its hash in the ledger, and reads it back as it was', async () => {
    const key = await gateway.createKey({ content_logging: { retention_days: 30 } })
    const whole = await send(key, marked())
    const stream = await send(key, marked({ stream: true }))
    expect([whole.text, stream.text].every((text) => text.includes(ANSWERED))).toBe(true)
    await gateway.settlements(key.organisationId, 2)

    const kept = await everything(key)
    expect(kept).not.toContain(MARK)
    expect(kept).not.toContain(ANSWERED)
    const { FILES } = await gateway.service.env()
    const entries = await gateway.service.ledger(key.organisationId)
    const settled = entries.filter((entry) => 'settles' in entry)
    for (const { attestationId } of [whole, stream]) {
      const name = (await contentObjects(key)).find((one) => one.includes(attestationId)) ?? ''
      const sealed = Buffer.from((await (await FILES.get(name))?.arrayBuffer()) ?? new ArrayBuffer())
      const sha256 = createHash('sha256').update(sealed).digest('hex')
      expect(settled.map(({ content }) => content)).toContainEqual({ sha256, bytes: sealed.length })
    }

    const auditor = await signInAs(gateway.service, key.organisationId, 'auditor')
    const read = await asPerson(auditor, 'GET', `/${whole.attestationId}`)
    expect(read).toMatchObject({
      status: 200,
      body: {
        attestation_id: whole.attestationId,
        request: whole.request,
        answer: { object: 'chat.completion', choices: [{ message: { content: whole.text } }] },
        streamed: false,
        truncated: false,
      },
    })
    expect((await asPerson(auditor, 'GET', `/${stream.attestationId}`)).body).toMatchObject({
      request: stream.request,
      answer: {
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: stream.text }, finish_reason: 'stop' }],
        aqta: { attestation: { attestation_id: stream.attestationId } },
      },
      streamed: true,
      truncated: false,
    })
    const told = await gateway.service.ledger(key.organisationId)
    const reads = told.filter(({ act }) => act === 'content.read')
    // The first call may be settled after the second is decided.
    const decisionOf = (id: string) => told.findIndex((entry) => entry['attestation_id'] === id && !('act' in entry))
    expect(reads).toMatchObject(
      [whole, stream].map(({ attestationId }) => ({
        actor: auditor.personId,
        attestation_id: attestationId,
        position: decisionOf(attestationId),
      })),
    )
  })

  it('keeps what a Responses call was answered, streamed or not, in that form', async () => {
    const key = await gateway.createKey({ content_logging: { retention_days: 1 } })
    const owner = await signInAs(gateway.service, key.organisationId, 'owner')
    for (const stream of [false, true]) {
      const request = { model: 'gpt-4.1-mini', input: `${MARK} ${stream}`, stream }
      const response = await gateway.service.fetch('/v1/responses', postJson(key.key, request))
      const text = await response.text()
      const said = stream
        ? (JSON.parse(text.split('event: response.completed\ndata: ')[1]?.split('\n')[0] ?? '') as { response: object })
            .response
        : (JSON.parse(text) as object)
      await gateway.settlements(key.organisationId, stream ? 2 : 1)
      const [name = ''] = (await contentObjects(key)).toReversed()
      expect(name).toContain('content/')
      const { aqta, output } = said as { aqta: Aqta; output: object[] }
      const { body } = await asPerson(owner, 'GET', `/${aqta.attestation.attestation_id}`)
      expect(body).toMatchObject({ request, answer: { object: 'response', output }, streamed: stream })
    }
  })

  it('says why there is nothing to be read', async () => {
    const key = await gateway.createKey()
    const owner = await signInAs(gateway.service, key.organisationId, 'owner')
    const before = await send(key, marked())
    await logging(key, 7)
    const kept = await send(key, marked())
    await gateway.settlements(key.organisationId, 2)
    const message = async (id: string, who = owner) => {
      const { status, body } = await asPerson(who, 'GET', `/${id}`)
      return [status, (body['error'] as { message: string } | undefined)?.message]
    }
    expect(await message(before.attestationId)).toEqual([404, expect.stringContaining('content logging was off')])
    expect(await message(crypto.randomUUID())).toEqual([404, expect.stringContaining('no record')])
    expect(await message('x')).toEqual([404, expect.stringContaining('no record')])
    const other = await gateway.createKey()
    const stranger = await signInAs(gateway.service, other.organisationId, 'owner')
    expect(await message(kept.attestationId, stranger)).toEqual([404, expect.stringContaining('no record')])
    const linked = { ...owner.headers, 'sec-fetch-site': 'cross-site' }
    const response = await gateway.service.fetch(`${PATH}/${kept.attestationId}`, { headers: linked })
    expect(response.status).toBe(403)
    expect((await gateway.service.ledger(key.organisationId)).some(({ act }) => act === 'content.read')).toBe(false)
    expect((await message(kept.attestationId))[0]).toBe(200)
  })

  it('erases that of one call, and then all of it, and its ledger stays', async () => {
    const key = await gateway.createKey({ content_logging: { retention_days: 30 } })
    const owner = await signInAs(gateway.service, key.organisationId, 'owner')
    const [first, second] = [await send(key, marked()), await send(key, marked({ stream: true }))]
    await gateway.settlements(key.organisationId, 2)

    const erased = await asPerson(owner, 'DELETE', `/${first.attestationId}`)
    expect(erased).toMatchObject({
      status: 200,
      body: { object: 'content_erasure', attestation_id: first.attestationId },
    })
    expect((await asPerson(owner, 'GET', `/${first.attestationId}`)).status).toBe(404)
    expect((await contentObjects(key)).some((name) => name.includes(first.attestationId))).toBe(false)
    expect((await asPerson(owner, 'GET', `/${second.attestationId}`)).status).toBe(200)

    const all = await asPerson(owner, 'DELETE')
    expect(all).toMatchObject({ status: 200, body: { object: 'content_erasure', attestation_id: null } })
    expect((await asPerson(owner, 'GET', `/${second.attestationId}`)).status).toBe(404)
    const isThere = async () => (await contentObjects(key)).some((name) => name.includes(second.attestationId))
    await expect.poll(isThere).toBe(false)

    const acts = (await gateway.service.ledger(key.organisationId)).map(({ act }) => act)
    // An attempt to read erased content has an entry too.
    expect(acts.filter((act) => typeof act === 'string' && act.startsWith('content.'))).toEqual([
      'content.erase',
      'content.read',
      'content.read',
      'content.erase_all',
    ])
    const third = await send(key, marked())
    await gateway.settlements(key.organisationId, 3)
    expect((await asPerson(owner, 'GET', `/${third.attestationId}`)).body).toMatchObject({ request: third.request })
  })

  it('keeps it for no longer than the details', async () => {
    const key = await gateway.createKey({ retention_days: 30 })
    const answer = await gateway.service.fetch(`/api/operator/organisations/${key.organisationId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${gateway.service.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content_logging: { retention_days: 31 } }),
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { param: 'content_logging.retention_days', fields: [{ rule: 'at most 30, as retention_days' }] } },
    ])
  })
})
