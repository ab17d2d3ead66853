// The minimal Worker that benchmarks compare the service with. It never checks, counts, translates or signs. MODE chooses what it
// does: `enqueue` forwards the request and copies the answer in JavaScript. `floor` writes a row in a Durable Object before and
// after the provider's call. `answer` writes a row and returns a constant.
import { DurableObject } from 'cloudflare:workers'
import { migrateObject } from '../../src/platform/durable-object.ts'

type Env = {
  MODE: 'enqueue' | 'floor' | 'answer'
  /** The URL of the provider's chat completions; UPSTREAM_KEY is the key to it. */
  UPSTREAM: string
  UPSTREAM_KEY: string
  OBJECT: DurableObjectNamespace<RowWriter>
  /** The number of objects that the calls are spread over. */
  OBJECTS: number
  /** The service's own answers to a reading and to a list, byte for byte. */
  POST_ANSWER: string
  GET_ANSWER: string
}

/** Bytes of a chat's two entries, and of the entry of a reading. A list leaves a row without an entry. */
const BYTES = { decision: 970, settlement: 340, reading: 330, list: 0 }

const JSON_HEADERS = { 'content-type': 'application/json' }
let calls = 0

export default {
  async fetch(request, env, ctx) {
    const nextObject = () => env.OBJECT.getByName(`floor-${calls++ % env.OBJECTS}`)
    switch (env.MODE) {
      case 'enqueue': {
        const response = await forward(request, env)
        const [body, copied] = copyAnswer(response)
        ctx.waitUntil(copied)
        return new Response(body, response)
      }
      case 'floor': {
        const object = nextObject()
        await object.write(BYTES.decision)
        const response = await forward(request, env)
        ctx.waitUntil(Promise.resolve(object.write(BYTES.settlement)))
        return response
      }
      case 'answer': {
        const isReading = request.method === 'POST'
        await nextObject().write(isReading ? BYTES.reading : BYTES.list)
        return new Response(isReading ? env.POST_ANSWER : env.GET_ANSWER, { headers: JSON_HEADERS })
      }
    }
  },
} satisfies ExportedHandler<Env>

function forward(request: Request, env: Env): Promise<Response> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${env.UPSTREAM_KEY}` }
  return fetch(env.UPSTREAM, { method: 'POST', headers, body: request.body })
}

/** Copies the answer piece by piece, also after the caller has left: the least that such a Worker must do. */
export function copyAnswer(response: Response): [body: ReadableStream<Uint8Array>, copied: Promise<void>] {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const body = new ReadableStream<Uint8Array>({ start: resolve })
  return [body, promise.then((controller) => pump(reader, controller))]
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

const SCHEMA = 'CREATE TABLE entries (position INTEGER PRIMARY KEY, hash BLOB NOT NULL, entry BLOB NOT NULL) STRICT'

export class RowWriter extends DurableObject<Env> {
  readonly #hash = new Uint8Array(32)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, [SCHEMA])
  }

  write(bytes: number): void {
    this.ctx.storage.sql.exec('INSERT INTO entries (hash, entry) VALUES (?, ?)', this.#hash, new Uint8Array(bytes))
  }
}
