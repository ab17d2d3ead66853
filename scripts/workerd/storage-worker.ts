// Emulates KV, R2 and D1 for a Worker on workerd, as far as the service uses their HTTP protocols. KV has the values given at the
// start. D1 and R2 are each SQLite in an object, so that they outlive the process.
import { createHash } from 'node:crypto'
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import * as z from 'zod'
import { migrateObject } from '../../src/platform/durable-object.ts'

type Env = {
  DATABASE: DurableObjectNamespace<Database>
  R2_FILES: DurableObjectNamespace<Files>
  VALUES: Record<string, string>
  /** The statements that create the tables of D1. */
  SCHEMA: string
}

export class Kv extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Response {
    const key = decodeURIComponent(new URL(request.url).pathname.slice(1))
    const value = request.method === 'GET' ? this.env.VALUES[key] : undefined
    return value === undefined ? new Response(null, { status: 404 }) : new Response(value)
  }
}

export class D1 extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const command = await request.json<Query | Query[]>()
    const results = await this.env.DATABASE.getByName('d1').run([command].flat())
    return Response.json(results.map(({ changes, ...rows }) => ({ success: true, results: rows, meta: { changes } })))
  }
}

/** A statement. Bytes are lists of numbers. */
type Query = { sql: string; params?: (SqlStorageValue | number[])[] }
type Rows = { columns: string[]; rows: SqlStorageValue[][]; changes: number }

export class Database extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    // The runtime creates an object again after ten quiet seconds. Its tables exist then.
    migrateObject(ctx.storage, [env.SCHEMA])
  }

  run(queries: Query[]): Rows[] {
    return queries.map(({ sql, params = [] }) => {
      const cursor = this.ctx.storage.sql.exec(sql, ...params.map(fromJson))
      const rows = [...cursor.raw()]
      return { columns: cursor.columnNames, rows, changes: cursor.rowsWritten > 0 ? this.#changes() : 0 }
    })
  }

  /** Returns the rows that the last statement changed. `rowsWritten` also counts those of indexes. */
  #changes(): number {
    return Number(this.ctx.storage.sql.exec('SELECT changes() AS count').one()['count'])
  }
}

const fromJson = (value: SqlStorageValue | number[]): SqlStorageValue | Uint8Array =>
  Array.isArray(value) ? Uint8Array.from(value) : value

const EtagsSchema = z.array(z.object({ type: z.string(), value: z.string().optional() })).optional()

const RequestSchema = z.discriminatedUnion('method', [
  z.object({ method: z.enum(['get', 'head']), object: z.string() }),
  z.object({
    method: z.literal('put'),
    object: z.string(),
    onlyIf: z.object({ etagMatches: EtagsSchema, etagDoesNotMatch: EtagsSchema }).optional(),
  }),
  z.object({ method: z.literal('list'), prefix: z.string().default(''), limit: z.int().default(1000) }),
  z.object({ method: z.literal('delete'), object: z.string().optional(), objects: z.array(z.string()).optional() }),
])

type Put = Extract<z.infer<typeof RequestSchema>, { method: 'put' }>

type FileMetadata = { name: string; etag: string; uploaded: number; size: number }
type StoredFile = { about: FileMetadata; bytes: ArrayBuffer }

const METADATA_SIZE = 'cf-r2-metadata-size'

export class R2 extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const files = this.env.R2_FILES.getByName('r2')
    if (request.method === 'GET') {
      const command = RequestSchema.parse(JSON.parse(request.headers.get('cf-r2-request') ?? ''))
      if (command.method === 'list') return listResponse(await files.list(command.prefix, command.limit))
      const file = 'object' in command && command.object !== undefined ? await files.find(command.object) : null
      if (file === null) return refuse(404, 10007, 'The specified key does not exist.')
      return answer(file.about, command.method === 'head' ? new ArrayBuffer() : file.bytes)
    }
    const body = new Uint8Array(await request.arrayBuffer())
    const size = Number(request.headers.get(METADATA_SIZE))
    const command = RequestSchema.parse(JSON.parse(new TextDecoder().decode(body.subarray(0, size))))
    if (command.method === 'delete') {
      await files.remove(command.objects ?? [command.object ?? ''])
      return new Response()
    }
    const about = command.method === 'put' ? await files.put(command, body.slice(size)) : null
    return about === null ? refuse(412, 10031, 'A precondition is not met.') : answer(about, new ArrayBuffer())
  }
}

const refuse = (status: number, v4code: number, message: string): Response =>
  new Response(null, { status, headers: { 'cf-r2-error': JSON.stringify({ version: 0, v4code, message }) } })

const describe = (about: FileMetadata) => ({
  ...about,
  version: about.etag,
  httpFields: {},
  customFields: [],
  checksums: {},
})

/** Returns a response with the file's metadata as JSON, then its bytes. */
const answer = (about: FileMetadata, bytes: ArrayBuffer): Response => send(describe(about), bytes)

const listResponse = (files: readonly FileMetadata[]): Response =>
  send({ objects: files.map(describe), truncated: false, delimitedPrefixes: [] }, new ArrayBuffer())

function send(value: object, bytes: ArrayBuffer): Response {
  const described = new TextEncoder().encode(JSON.stringify(value))
  return new Response(new Blob([described, bytes]), { headers: { [METADATA_SIZE]: String(described.byteLength) } })
}

export class Files extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, etag TEXT, uploaded INTEGER, size INTEGER, bytes BLOB)',
    )
  }

  find(name: string): StoredFile | null {
    const [row] = this.ctx.storage.sql
      .exec<FileMetadata & { bytes: ArrayBuffer }>('SELECT * FROM files WHERE name = ?', name)
      .toArray()
    if (row === undefined) return null
    const { bytes, ...about } = row
    return { about, bytes }
  }

  /** Stores a file. Returns null if the condition is not met. */
  put({ object: name, onlyIf }: Put, bytes: Uint8Array): FileMetadata | null {
    const currentEtag = this.find(name)?.about.etag
    const isNamed = (etags: z.infer<typeof EtagsSchema>): boolean =>
      currentEtag !== undefined &&
      etags?.some(({ type, value }) => type === 'wildcard' || value === currentEtag) === true
    if (onlyIf?.etagMatches !== undefined && !isNamed(onlyIf.etagMatches)) return null
    if (isNamed(onlyIf?.etagDoesNotMatch)) return null
    const etag = createHash('md5').update(bytes).digest('hex')
    const about = { name, etag, uploaded: Date.now(), size: bytes.byteLength }
    const { uploaded, size } = about
    this.ctx.storage.sql.exec('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)', name, etag, uploaded, size, bytes)
    return about
  }

  list(prefix: string, limit: number): FileMetadata[] {
    return this.ctx.storage.sql
      .exec<FileMetadata>(
        'SELECT name, etag, uploaded, size FROM files WHERE substr(name, 1, ?) = ? ORDER BY name LIMIT ?',
        prefix.length,
        prefix,
        limit,
      )
      .toArray()
  }

  remove(names: readonly string[]): void {
    for (const name of names) this.ctx.storage.sql.exec('DELETE FROM files WHERE name = ?', name)
  }
}

// The Worker is called only through its named entrypoints.
export default {} satisfies ExportedHandler<Env>
