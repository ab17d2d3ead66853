// The floor: one row for an admitted call, in one call to one Durable Object, and a constant answer. It parses, checks,
// hashes and reads nothing, so that what the service costs above it is the service's own doing.
import { DurableObject } from 'cloudflare:workers'
import { migrateObject } from '../../../src/platform/object-migrations.ts'

type Env = {
  FLOOR: DurableObjectNamespace<FloorWrites>
  /** The objects that calls are spread over. */
  OBJECTS: number
  /** The service's own answers, byte for byte. */
  READ_ANSWER: string
  LISTS_ANSWER: string
}

const HEADERS = { 'content-type': 'application/json' }
let calls = 0

export default {
  async fetch(request, env) {
    const isRead = request.method === 'POST'
    await env.FLOOR.getByName(`floor-${calls++ % env.OBJECTS}`).write(isRead)
    return new Response(isRead ? env.READ_ANSWER : env.LISTS_ANSWER, { headers: HEADERS })
  },
} satisfies ExportedHandler<Env>

/** What a decision's entry takes; a call that leaves none is a row that counts. */
const ENTRY_BYTES = 330

const SCHEMA = `
  CREATE TABLE entries (position INTEGER PRIMARY KEY, hash BLOB NOT NULL, entry BLOB NOT NULL) STRICT;
  CREATE TABLE calls (n INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
`

export class FloorWrites extends DurableObject<Env> {
  readonly #hash = new Uint8Array(32)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, [SCHEMA])
  }

  write(withEntry: boolean): void {
    const { sql } = this.ctx.storage
    if (withEntry) sql.exec('INSERT INTO entries (hash, entry) VALUES (?, ?)', this.#hash, new Uint8Array(ENTRY_BYTES))
    else sql.exec('INSERT INTO calls (at) VALUES (?)', Date.now())
  }
}
