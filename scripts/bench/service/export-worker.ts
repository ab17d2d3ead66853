// The service, and an organisation's object that can be filled from outside: with entries of chat calls, as if they had been
// made some days ago, and what of them is old put away.
import { ProgressStore } from '../../../src/organisation/journal/progress.store.ts'
import { Journal } from '../../../src/organisation/journal/journal.ts'
import { DAY_MS } from '../../../src/platform/clock.ts'
import service, { Organisation as ServiceOrganisation, PublicLog, PublicLogIndex } from '../../../src/worker.ts'
import { typicalCall } from '../ledger/chat-call.ts'
import { FILL_PATH, PUT_AWAY_PATH } from '../../soak/export/paths.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS'> & { ORGANISATIONS: DurableObjectNamespace<Organisation> }

const RETENTION_DAYS = 365
/** More than details stay at hand. */
const OLD_MS = 8 * DAY_MS
/** Such that they count for no minute's limit any more. */
const YOUNG_MS = 3_600_000
/** Between two calls: an object that begins again reads those of the last minutes, which are few so. */
const BETWEEN_CALLS_MS = 500

export { PublicLog, PublicLogIndex }

/** `callsAfter`: how many calls are still to come once these are made. */
type Filling = { organisationId: string; publicKey: string; isOld: boolean; callsAfter: number }

export class Organisation extends ServiceOrganisation {
  /** So many calls of two entries each. What tells the public log of receipts is told that it has them. */
  fill(calls: number, { organisationId, publicKey, isOld, callsAfter }: Filling): void {
    const { storage } = this.ctx
    const journal = new Journal(storage.sql)
    const last = Date.now() - YOUNG_MS - (isOld ? OLD_MS : 0)
    storage.transactionSync(() => {
      for (let left = callsAfter + calls; left > callsAfter; left -= 1) {
        const now = last - left * BETWEEN_CALLS_MS
        const { record, facts, settlement } = typicalCall(0, now)
        const signed = { ...record, org_id: organisationId, public_key: publicKey }
        const decided = { keyId: 'key_of_a_bench', outcome: 'ALLOWED', microeur: 90 }
        const position = journal.appendReceipt(
          { record: signed, facts, fields: decided, retentionDays: RETENTION_DAYS },
          now,
        )
        const content = { ...settlement, settles: position }
        const ended = { outcome: 'completed', microeur: 40, settles: position }
        journal.append({ kind: 'settlement', content, fields: ended, retentionDays: RETENTION_DAYS }, now)
      }
      storage.sql.exec('UPDATE progress SET published_to = (SELECT MAX(position) FROM entries)')
    })
    this.#forget()
  }

  /** The object's own alarm, until it has put everything away that is old. */
  async putAway(): Promise<void> {
    const { sql } = this.ctx.storage
    sql.exec('UPDATE progress SET cleaned_at = 0')
    const progress = new ProgressStore(sql)
    while (progress.read().cleanedAt === 0) await this.alarm()
  }

  /** A turn that fails makes the object read again what was written past it. */
  #forget(): void {
    try {
      const nothing = { usage: null, estimated: false, upstreamMs: null, finishReason: null, errorCause: null }
      this.settleChat({ position: 0, ended: 'completed', costMicroeur: Number.NaN, ...nothing })
    } catch {}
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    const objectOf = (path: string) => env.ORGANISATIONS.getByName(pathname.slice(path.length))
    if (pathname.startsWith(FILL_PATH)) {
      const calls = Number(searchParams.get('calls'))
      await objectOf(FILL_PATH).fill(calls, {
        organisationId: pathname.slice(FILL_PATH.length),
        publicKey: searchParams.get('key') ?? '',
        isOld: searchParams.get('old') === 'true',
        callsAfter: Number(searchParams.get('after')),
      })
    } else if (pathname.startsWith(PUT_AWAY_PATH)) await objectOf(PUT_AWAY_PATH).putAway()
    else return service.fetch(request, env, ctx)
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<Env>
