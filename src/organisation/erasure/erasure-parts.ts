// What an erasure works on, put together from the object's own stores and the Worker's bindings.
import { createSigner, type Signer } from '../../attestation/attestation-keys.ts'
import { configuredKeys } from '../../attestation/configured-keys.ts'
import type { CostsStore } from '../../keys/costs.store.ts'
import type { TreeStore } from '../../ledger/tree.store.ts'
import { createMailer } from '../../mail/create-mailer.ts'
import { readConfig } from '../../platform/config.ts'
import { objectOpener } from '../../platform/open-object.ts'
import type { ChatStores } from '../admit-chat.ts'
import type { DataKeysStore } from '../data-keys.store.ts'
import { OPERATOR_LEDGER } from '../operator-ledger.ts'
import type { PublicationStore } from '../publication.store.ts'
import type { ReceiptPublisher } from '../publish-receipts.ts'
import { settleOpenChats } from '../settle-chat.ts'
import { settleOpenReadings } from '../settle-reading.ts'
import type { Remembering, TakeTurn } from '../turns.ts'
import type { ErasureParts } from './erasure-run.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'
import { ErasuresStore } from './erasures.store.ts'
import { RegisteredStore } from './registered.store.ts'

type Own = {
  storage: DurableObjectStorage
  ledger: string
  state: ErasureStateStore
  dataKeys: DataKeysStore
  tree: TreeStore
  stores: ChatStores & { costs: CostsStore }
  publication: PublicationStore
  publisher: ReceiptPublisher
  /** What holds rows in memory. */
  remembering: readonly Remembering[]
  takeTurn: TakeTurn
}

export function erasureParts(env: Cloudflare.Env, own: Own): ErasureParts {
  const { stores, publication, publisher, remembering, ...parts } = own
  let signer: Signer | null | undefined
  const isPublished = (): boolean => publication.oldestUnpublishedAt() === null
  return {
    ...parts,
    bucket: env.FILES,
    index: new ErasuresStore(env.DB),
    registered: new RegisteredStore(env.DB),
    settleOpen: (now) => {
      settleOpenReadings(stores, now)
      return settleOpenChats(stores, now)
    },
    publishAll: async () => {
      const before = publication.read().publishedTo
      await publisher.publish()
      if (isPublished()) return true
      if (publication.read().publishedTo === before) throw new Error('the public log takes no receipts')
      return false
    },
    hasOpen: () => stores.spending.oldestReservationAt() !== null || stores.costs.hasOpen() || !isPublished(),
    forget: () => {
      for (const store of remembering) store.forget()
    },
    signer: () => {
      if (signer === undefined) {
        const keys = configuredKeys(env, readConfig(env))
        signer = keys && createSigner(keys)
      }
      return signer
    },
    mailer: () => createMailer(readConfig(env).signIn.mail, env.EMAIL),
    tellOperator: async (erased) => {
      const open = objectOpener(env.ORGANISATIONS, readConfig(env).jurisdictions)
      await open({ name: OPERATOR_LEDGER, isEuropean: true }).recordErased(erased)
    },
  }
}
