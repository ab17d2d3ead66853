// Stands behind the KV, R2 and D1 bindings of a Worker that runs on bare workerd: it speaks their HTTP protocols as far as
// the benches need them. KV holds the values it is given at the start; D1 and R2 are SQLite in an object each.
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import { migrateObject } from '../../src/platform/object-migrations.ts'

type Env = {
  DATABASE: DurableObjectNamespace<Database>
  VALUES: Record<string, string>
  /** The statements that make the tables of D1. */
  SCHEMA: string
}

export class Kv extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Response {
    const key = decodeURIComponent(new URL(request.url).pathname.slice(1))
    const value = request.method === 'GET' ? this.env.VALUES[key] : undefined
    return value === undefined ? new Response(null, { status: 404 }) : new Response(value)
  }
}

export { Files, R2 } from './files-worker.ts'

export class D1 extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const asked = await request.json<Query | Query[]>()
    const results = await this.env.DATABASE.getByName('d1').run([asked].flat())
    return Response.json(results.map((rows) => ({ success: true, results: rows, meta: {} })))
  }
}

/** Bytes come as a list of numbers. */
type Query = { sql: string; params?: (SqlStorageValue | number[])[] }
type Rows = { columns: string[]; rows: SqlStorageValue[][] }

export class Database extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    // The runtime makes an object again that was quiet for ten seconds: its tables are there then.
    migrateObject(ctx.storage, [env.SCHEMA])
  }

  run(queries: Query[]): Rows[] {
    return queries.map(({ sql, params = [] }) => {
      const cursor = this.ctx.storage.sql.exec(sql, ...params.map(fromJson))
      return { columns: cursor.columnNames, rows: [...cursor.raw()] }
    })
  }
}

const fromJson = (value: SqlStorageValue | number[]): SqlStorageValue | Uint8Array =>
  Array.isArray(value) ? Uint8Array.from(value) : value

// Reached by its named entrypoints only.
export default {} satisfies ExportedHandler<Env>
