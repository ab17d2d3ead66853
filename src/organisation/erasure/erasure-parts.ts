// What an erasure works on, put together from the object's own stores and the Worker's bindings.
import { createSigner, type Signer } from '../../attestation/attestation-keys.ts'
import { configuredKeys } from '../../attestation/configured-keys.ts'
import { ProgressStore } from '../../ledger/progress.store.ts'
import { createMailer } from '../../mail/create-mailer.ts'
import { readConfig } from '../../platform/config.ts'
import { objectOpener } from '../../platform/open-object.ts'
import type { DataKeysStore } from '../data-keys.store.ts'
import type { Journal } from '../journal.ts'
import { OPERATOR_LEDGER } from '../operator-ledger.ts'
import type { ReceiptSubmitter } from '../submit-receipts.ts'
import { settleOpenChats } from '../settle-chat.ts'
import { settleOpenReadings } from '../settle-reading.ts'
import { oldestOpenAt } from '../state/months.ts'
import { oldestOpenDay } from '../state/readings.ts'
import type { TakeTurn } from '../stores.ts'
import type { ErasureParts } from './erasure-run.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'
import { ErasuresStore } from './erasures.store.ts'
import { RegisteredStore } from './registered.store.ts'

type Own = {
  storage: DurableObjectStorage
  ledger: string
  state: ErasureStateStore
  dataKeys: DataKeysStore
  journal: Journal
  tiledLeaves: () => number
  submitter: ReceiptSubmitter
  takeTurn: TakeTurn
}

export function erasureParts(env: Cloudflare.Env, own: Own): ErasureParts {
  const { submitter, ...parts } = own
  const { journal, storage } = parts
  let signer: Signer | null | undefined
  const submittedTo = (): number => new ProgressStore(storage.sql).read().submittedTo
  const isSubmitted = (): boolean => submitter.oldestWaiting() === null
  return {
    ...parts,
    bucket: env.FILES,
    index: new ErasuresStore(env.DB),
    registered: new RegisteredStore(env.DB),
    settleOpen: (now) => settleOpenReadings(journal, now) && settleOpenChats(journal, now),
    submitAll: async () => {
      const before = submittedTo()
      await submitter.submit()
      if (isSubmitted()) return true
      if (submittedTo() === before) throw new Error('the public log takes no receipts')
      return false
    },
    hasOpen: () => {
      const { months, readings } = journal.state
      return oldestOpenAt(months) !== null || oldestOpenDay(readings) !== null || !isSubmitted()
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
