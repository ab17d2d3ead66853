// The mailer that hands mail to an HTTP service, against a real server that fails in every way a server can.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendByHttp } from '../../src/platform/mail.ts'

const MAIL = { to: 'someone@practice.example', subject: 'Confirm your address', text: 'Open this link.' }
const WAITING = { limitMs: 60_000, pauseMs: 1 }

type Received = { path: string | undefined; headers: Record<string, unknown>; body: string }

let server: Server
let received: Received[]
let answers: RequestListener[]
beforeEach(async () => {
  received = []
  answers = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body })
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      answer?.(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const urlOf = (): string => {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const hand = (waiting = WAITING, url = urlOf()) =>
  sendByHttp({ url, key: 're_invented', from: 'service@countersign.example' }, MAIL, waiting)

const answer =
  (status: number, body: string, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

const ACCEPTED = answer(200, '{"id":"49a3999c"}')
const hang: RequestListener = () => undefined
const hangAfterHeaders: RequestListener = (_, response) => void response.writeHead(200).write('{"id":')
const breakOff: RequestListener = (request) => request.socket.destroy()

describe('mail over HTTP', () => {
  it('is one POST with a key, an idempotency key and a user agent', async () => {
    answers = [ACCEPTED]
    expect(await hand(WAITING, `${urlOf()}/base/`)).toEqual({ ok: true })
    expect(received).toHaveLength(1)
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = received
    expect(path).toBe('/base/emails')
    expect(headers).toMatchObject({
      authorization: 'Bearer re_invented',
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[\w-]{36}$/) as string,
      'user-agent': 'countersign',
    })
    expect(JSON.parse(body)).toEqual({ from: 'service@countersign.example', ...MAIL })
  })

  it.each([
    ['is busy', answer(429, '{}')],
    ['is not well', answer(500, MAIL.to)],
    ['breaks off', breakOff],
  ])('is handed over again, as the same mail, where the service %s', async (_, failing) => {
    answers = [failing, ACCEPTED]
    expect(await hand()).toEqual({ ok: true })
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array<unknown>(2).fill(received[0]?.headers['idempotency-key']),
    )
  })

  it.each([
    ['refuses the key', answer(401, MAIL.to), { cause: 'refused', status: 401 }],
    ['does not know the domain', answer(403, '{}'), { cause: 'refused', status: 403 }],
    ['sends elsewhere', answer(307, '', { location: '/elsewhere' }), { cause: 'refused', status: 307 }],
    ['answers with a page', answer(200, '<!doctype html>'), { cause: 'malformed' }],
    ['answers with JSON of another kind', answer(200, '[{"id":1}]'), { cause: 'malformed' }],
    ['answers with nothing', answer(204, ''), { cause: 'malformed' }],
    ['answers without end', answer(200, `{"id":"${'x'.repeat(100_000)}"}`), { cause: 'malformed' }],
  ])('has failed at once where the service %s', async (_, failing, failure) => {
    answers = [failing]
    expect(await hand()).toEqual({ ok: false, ...failure })
    expect(received).toHaveLength(1)
  })

  it.each([
    ['stays busy', answer(429, '{}'), { cause: 'refused', status: 429 }],
    ['stays unwell', answer(503, '{}'), { cause: 'refused', status: 503 }],
    ['breaks off each time', breakOff, { cause: 'unreachable' }],
  ])('has failed after two attempts where the service %s', async (_, failing, failure) => {
    answers = [failing]
    expect(await hand()).toEqual({ ok: false, ...failure })
    expect(received).toHaveLength(2)
  })

  it.each([
    ['does not answer', hang],
    ['does not finish its answer', hangAfterHeaders],
  ])('has failed after the time limit where the service %s', async (_, failing) => {
    answers = [failing]
    expect(await hand({ limitMs: 30, pauseMs: 1 })).toEqual({ ok: false, cause: 'timeout' })
  })

  it('has failed where nothing listens', async () => {
    const url = urlOf()
    server.close()
    await once(server, 'close')
    expect(await hand(WAITING, url)).toEqual({ ok: false, cause: 'unreachable' })
  })

  it('never rejects and never logs', async () => {
    const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')]
    answers = [answer(500, MAIL.to)]
    await hand()
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })
})
