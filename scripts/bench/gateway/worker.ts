// What the gateway is compared with, by the setting MODE: a Worker that passes request and answer through; one that also
// carries the answer through JavaScript; and the floor, which writes a row before the provider is asked and a row after, in
// two calls to one Durable Object, and passes through. None of them checks, counts, translates or signs anything.
import { DurableObject } from 'cloudflare:workers'
import { migrateObject } from '../../../src/platform/object-migrations.ts'

type Env = {
  MODE: 'pass' | 'enqueue' | 'floor'
  /** The address of the provider's chat completions, and the key to it. */
  UPSTREAM: string
  UPSTREAM_KEY: string
  FLOOR: DurableObjectNamespace<ChatWrites>
  /** The objects that calls are spread over. */
  OBJECTS: number
}

let calls = 0

export default {
  async fetch(request, env, ctx) {
    switch (env.MODE) {
      case 'pass':
        return await forward(request, env)
      case 'enqueue':
        return enqueued(await forward(request, env), ctx)
      case 'floor': {
        const object = env.FLOOR.getByName(`floor-${calls++ % env.OBJECTS}`)
        await object.write(DECISION_BYTES)
        const response = await forward(request, env)
        ctx.waitUntil(settle(object))
        return response
      }
    }
  },
} satisfies ExportedHandler<Env>

function forward(request: Request, env: Env): Promise<Response> {
  const headers = { authorization: `Bearer ${env.UPSTREAM_KEY}`, 'content-type': 'application/json' }
  return fetch(env.UPSTREAM, { method: 'POST', headers, body: request.body })
}

/** The least a Worker can do that means to see the answer and to go on when its caller has left. */
function enqueued(response: Response, ctx: ExecutionContext): Response {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ctx.waitUntil(pump(reader, controller))
    },
  })
  return new Response(body, response)
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) return controller.close()
    controller.enqueue(read.value)
  }
}

async function settle(object: DurableObjectStub<ChatWrites>): Promise<void> {
  await object.write(SETTLEMENT_BYTES)
}

/** What an entry of each kind takes, with what is known beside it. */
const DECISION_BYTES = 970
const SETTLEMENT_BYTES = 340

const SCHEMA = 'CREATE TABLE entries (position INTEGER PRIMARY KEY, hash BLOB NOT NULL, entry BLOB NOT NULL) STRICT'

/** The least that can be written of a chat call before it goes out and after it came back. */
export class ChatWrites extends DurableObject<Env> {
  readonly #hash = new Uint8Array(32)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, [SCHEMA])
  }

  write(bytes: number): void {
    this.ctx.storage.sql.exec('INSERT INTO entries (hash, entry) VALUES (?, ?)', this.#hash, new Uint8Array(bytes))
  }
}
