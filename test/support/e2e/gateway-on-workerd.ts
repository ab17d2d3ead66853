// The built Worker on plain workerd, with the model emulator in the place of the providers. Wrangler's test server hands
// a Worker's requests to Node, which does not pass a cancellation on; here the runtime makes them itself. The ledger is
// read from the databases on disk.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { startService } from '../../../scripts/workerd/start-service.ts'
import { startEmulator, type Emulator } from '../../../scripts/emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../../../scripts/local/emulated-providers.ts'
import { callOperator } from '../../../scripts/operator/operator-client.ts'
import { contentOf } from '../entry-content.ts'
import { SettlementSchema, type Settlement } from './gateway.ts'
import { PROVIDER_IDS } from '../../../src/providers/provider-registry.ts'
import { until } from '../until.ts'

type CreatedKey = { id: string; key: string }
type Call = { trace_id: string } | { key_id: string }

export type GatewayOnWorkerd = {
  url: string
  emulator: Emulator
  createKey(limits?: object): Promise<CreatedKey>
  /** The settlement of the first call whose decision has this trace or this key, once it is written. */
  settlementOf(call: Call): Promise<Settlement>
  /** Reads from the organisations' databases what running streams cost so far, in micro-euro. */
  costsSoFar(): Promise<number[]>
  close(): Promise<void>
}

export async function startGatewayOnWorkerd(vars: Record<string, string> = {}): Promise<GatewayOnWorkerd> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-gateway-'))
  const emulator = await startEmulator({ record: true })
  const { server, target } = await startService(folder, {
    vars: { ...emulatedProviders(emulator.url, PREFERRED_ENDPOINTS), ...vars },
  })
  return {
    url: target.url,
    emulator,
    async createKey(limits = {}) {
      const { id } = await callOperator(target, z.object({ id: z.string() }), 'POST', '/organisations', {
        name: 'A test practice',
        tier: 'pro',
        enabled_providers: PROVIDER_IDS,
      })
      const wanted = { prefix: 'aqta_', name: 'A test key', ...limits }
      const keys = `/organisations/${id}/keys`
      return callOperator(target, z.object({ id: z.string(), key: z.string() }), 'POST', keys, wanted)
    },
    async settlementOf(call) {
      const find = () => findSettlement(join(folder, 'objects'), call)
      const settlement = await until('the call is settled', find, (found) => found !== null)
      if (settlement === null) throw new Error('the call is not settled')
      return settlement
    },
    async costsSoFar() {
      const files = await databasesIn(join(folder, 'objects'))
      return files.flatMap((file) => readRows(file, 'chat_costs', 'SELECT microeur FROM chat_costs', CostsSchema))
    },
    async close() {
      await server.stop()
      await emulator.close()
      await rm(folder, { recursive: true })
    },
  }
}

const EntriesSchema = z.array(
  z.object({ position: z.int(), kind: z.string(), entry: z.instanceof(Uint8Array), facts: z.string().nullable() }),
)
const DecisionSchema = z.looseObject({ trace_id: z.string() })

const CostsSchema = z.array(z.object({ microeur: z.int() }).transform(({ microeur }) => microeur))

async function databasesIn(objects: string): Promise<string[]> {
  const files = await readdir(objects, { recursive: true })
  return files.filter((name) => name.endsWith('.sqlite')).map((name) => join(objects, name))
}

async function findSettlement(objects: string, call: Call): Promise<Settlement | null> {
  for (const file of await databasesIn(objects)) {
    const entries = readEntries(file)
    const decided = entries.find(({ content }) => {
      const decision = DecisionSchema.safeParse(content).data
      return decision !== undefined && Object.entries(call).every(([name, value]) => decision[name] === value)
    })
    const settled = entries.flatMap(({ content }) => SettlementSchema.safeParse(content).data ?? [])
    const settlement = settled.find(({ settles }) => settles === decided?.position)
    if (settlement !== undefined) return settlement
  }
  return null
}

/** The runtime may be writing at that very moment, for long where the machine is busy. */
const LOCKED_LIMIT_MS = 60_000

function readEntries(file: string): { position: number; content: unknown }[] {
  const statement = 'SELECT position, kind, entry, facts FROM entries ORDER BY position'
  const rows = readRows(file, 'entries', statement, EntriesSchema)
  return rows.map((row) => ({ position: row.position, content: contentOf(row) }))
}

/** Returns no rows of an object that is no organisation's. */
function readRows<Row>(file: string, table: string, statement: string, schema: z.ZodType<Row[]>): Row[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: LOCKED_LIMIT_MS })
  try {
    // Other objects have no log, or another table of this name.
    const isLog = database.prepare("SELECT 1 FROM pragma_table_info('entries') WHERE name = 'kind'").get() !== undefined
    const isThere = isLog && database.prepare('SELECT 1 FROM pragma_table_info(?)').get(table) !== undefined
    return schema.parse(isThere ? database.prepare(statement).all() : [])
  } finally {
    database.close()
  }
}
