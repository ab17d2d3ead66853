// What stands behind the R2 binding of a Worker that runs on bare workerd: one object on disk, so that files outlive the
// process. It speaks the binding's own protocol as far as the service needs it: get, head, list, put under a condition, delete.
import { createHash } from 'node:crypto'
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import { z } from 'zod'

type Env = { R2_FILES: DurableObjectNamespace<Files> }

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

type Stored = { name: string; etag: string; uploaded: number; size: number }
type StoredFile = { about: Stored; bytes: ArrayBuffer }

const METADATA_SIZE = 'cf-r2-metadata-size'

export class R2 extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const files = this.env.R2_FILES.getByName('r2')
    if (request.method === 'GET') {
      const asked = RequestSchema.parse(JSON.parse(request.headers.get('cf-r2-request') ?? ''))
      if (asked.method === 'list') return listed(await files.list(asked.prefix, asked.limit))
      const file = 'object' in asked && asked.object !== undefined ? await files.find(asked.object) : null
      if (file === null) return refuse(404, 10007, 'The specified key does not exist.')
      return answer(file.about, asked.method === 'head' ? new ArrayBuffer() : file.bytes)
    }
    const body = new Uint8Array(await request.arrayBuffer())
    const size = Number(request.headers.get(METADATA_SIZE))
    const asked = RequestSchema.parse(JSON.parse(new TextDecoder().decode(body.subarray(0, size))))
    if (asked.method === 'delete') {
      await files.remove(asked.objects ?? [asked.object ?? ''])
      return new Response()
    }
    const about = asked.method === 'put' ? await files.put(asked, body.slice(size)) : null
    return about === null ? refuse(412, 10031, 'A precondition is not met.') : answer(about, new ArrayBuffer())
  }
}

const refuse = (status: number, v4code: number, message: string): Response =>
  new Response(null, { status, headers: { 'cf-r2-error': JSON.stringify({ version: 0, v4code, message }) } })

const describe = (about: Stored) => ({
  ...about,
  version: about.etag,
  httpFields: {},
  customFields: [],
  checksums: {},
})

/** What is known of the file as JSON, then its bytes. */
const answer = (about: Stored, bytes: ArrayBuffer): Response => send(describe(about), bytes)

const listed = (files: readonly Stored[]): Response =>
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
      .exec<Stored & { bytes: ArrayBuffer }>('SELECT * FROM files WHERE name = ?', name)
      .toArray()
    if (row === undefined) return null
    const { bytes, ...about } = row
    return { about, bytes }
  }

  /** Null where the condition does not hold. */
  put({ object: name, onlyIf }: Put, bytes: Uint8Array): Stored | null {
    const seen = this.find(name)?.about.etag
    const isNamed = (etags: z.infer<typeof EtagsSchema>): boolean =>
      seen !== undefined && etags?.some(({ type, value }) => type === 'wildcard' || value === seen) === true
    if (onlyIf?.etagMatches !== undefined && !isNamed(onlyIf.etagMatches)) return null
    if (isNamed(onlyIf?.etagDoesNotMatch)) return null
    const etag = createHash('md5').update(bytes).digest('hex')
    const about = { name, etag, uploaded: Date.now(), size: bytes.byteLength }
    const { uploaded, size } = about
    this.ctx.storage.sql.exec('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)', name, etag, uploaded, size, bytes)
    return about
  }

  list(prefix: string, limit: number): Stored[] {
    return this.ctx.storage.sql
      .exec<Stored>(
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

// Reached by its named entrypoint only.
export default {} satisfies ExportedHandler<Env>
