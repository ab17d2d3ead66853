// A call that is known to be refused is answered without its body, on plain workerd: its sender gets the answer all the
// same, and may send the next call over the same connection.
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024

let gateway: GatewayOnWorkerd
let key: string

beforeAll(async () => {
  gateway = await startGatewayOnWorkerd()
  ;({ key } = await gateway.createKey({ requests_per_minute: 1 }))
})
afterAll(() => gateway.close())

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

type Answered = { status: number | undefined; code: string; port: number | undefined }

/** @returns also the port it was sent from, by which connections are told apart */
async function post(body: Buffer, isSizeTold: boolean): Promise<Answered> {
  const size = isSizeTold ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...size }
  const sending = request(`${gateway.url}/v1/chat/completions`, { agent, method: 'POST', headers })
  sending.end(body)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sending.on('response', resolve)
    sending.on('error', reject)
  })
  const port = sending.socket?.localPort
  const code = /"code":"(\w+)"/.exec(await text(response))?.[1] ?? ''
  return { status: response.statusCode, code, port }
}

describe('a call that is known to be refused', () => {
  it.each([true, false])('is answered, and leaves the connection as it was (size told: %s)', async (isSizeTold) => {
    const spend = () => post(Buffer.from('{'), true)
    await until('the minute’s only call is spent', spend, ({ status }) => status === 429)
    for (const bytes of [0, 1, 60_000, 200_000, MIB - 1, 10]) {
      const answers = async () => [await post(Buffer.alloc(bytes, ' '), isSizeTold), await post(Buffer.from('{'), true)]
      // On one connection, unless nobody used it for five seconds.
      const onOne = async () => {
        const [answered, next] = await answers()
        return { ...answered, port: answered?.port === next?.port }
      }
      await expect.poll(onOne).toEqual({ status: 429, code: 'rate_limit_exceeded', port: true })
    }
  })
})
