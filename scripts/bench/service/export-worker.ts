// The service, and an organisation's object that can be filled from outside: with entries of chat calls, as if they had been
// made some days ago, and what of them is old put away.
import { Archive } from '../../../src/ledger/archive.ts'
import { LedgerStore } from '../../../src/ledger/ledger.store.ts'
import { ReceiptsStore } from '../../../src/ledger/receipts.store.ts'
import { DataKeysStore } from '../../../src/organisation/data-keys.store.ts'
import { DAY_MS } from '../../../src/platform/clock.ts'
import service, { Organisation as ServiceOrganisation, PublicLog, PublicLogIndex } from '../../../src/worker.ts'
import { typicalCall } from '../ledger/chat-call.ts'
import { FILL_PATH, PUT_AWAY_PATH } from '../../soak/export/paths.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS'> & { ORGANISATIONS: DurableObjectNamespace<Organisation> }

const RETENTION_DAYS = 365
/** More than details stay at hand. */
const OLD_MS = 8 * DAY_MS

export { PublicLog, PublicLogIndex }

export class Organisation extends ServiceOrganisation {
  /** So many calls of two entries each. What tells the public log of receipts is told that it has them. */
  fill(calls: number, publicKey: string, isOld: boolean): void {
    const { storage } = this.ctx
    const [ledger, receipts] = [new LedgerStore(storage.sql), new ReceiptsStore(storage.sql)]
    const now = isOld ? Date.now() - OLD_MS : Date.now()
    storage.transactionSync(() => {
      for (let n = 0; n < calls; n += 1) {
        const { attestationId, record, facts, settlement } = typicalCall(0, now)
        const signed = { ...record, public_key: publicKey }
        const position = ledger.appendReceipt(signed, facts, now, RETENTION_DAYS)
        receipts.insertReceipt(attestationId, position)
        ledger.appendEntry('settlement', { ...settlement, settles: position }, now, RETENTION_DAYS)
      }
      storage.sql.exec('UPDATE publication SET published_to = (SELECT MAX(position) FROM leaves)')
    })
  }

  async putAway(): Promise<void> {
    const { storage, id } = this.ctx
    const dataKeys = new DataKeysStore(storage.sql)
    const archive = new Archive({ storage, bucket: this.env.FILES, dataKeys, ledger: id.toString() })
    while (await archive.sweep(Number.MAX_SAFE_INTEGER, Date.now())) continue
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    const objectOf = (path: string) => env.ORGANISATIONS.getByName(pathname.slice(path.length))
    if (pathname.startsWith(FILL_PATH)) {
      const calls = Number(searchParams.get('calls'))
      await objectOf(FILL_PATH).fill(calls, searchParams.get('key') ?? '', searchParams.get('old') === 'true')
    } else if (pathname.startsWith(PUT_AWAY_PATH)) await objectOf(PUT_AWAY_PATH).putAway()
    else return service.fetch(request, env, ctx)
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<Env>
