// Makes the error for each reason why the stored content of a call cannot be read or erased.
import type { ContentErased, NoContent } from '../../organisation/content/content.target.ts'
import type { UnopenedContent } from '../../organisation/content/content-bucket.store.ts'
import { AppError } from '../../platform/errors.ts'

type Absent = Exclude<ContentErased, { outcome: 'erased' }> | { outcome: UnopenedContent }

export function contentError(absent: Absent): AppError {
  switch (absent.outcome) {
    case 'not_found':
      return new AppError('not_found', 'Your organisation has no record with this attestation_id. Check the id.')
    case 'not_kept':
      return new AppError('not_found', 'The details of this call are not kept any more, and neither is its content.')
    case 'object_missing':
      return new AppError('not_found', 'There is no content of this call any more: it was erased.')
    case 'object_damaged':
      return new AppError('internal_error', DAMAGED)
    case 'unreadable':
    case 'storage_failed':
      return notNow()
    case 'none':
      return absent.why === 'running' ? stillRunning() : new AppError('not_found', WHY[absent.why])
  }
}

const DAMAGED =
  'What is stored is not what was kept of this call: the SHA-256 in the ledger is another. Tell the operator.'

const WHY: Readonly<Record<Exclude<NoContent, 'running'>, string>> = {
  not_logged: 'Nothing was kept of this call: content logging was off when it was made, or it was refused.',
  lost: 'Of this call content was to be kept, and was lost: it could not be stored, or the call was cut off. Its settlement says so.',
  over: 'The time for which the content of this call is kept is over.',
  erased: 'All content that was kept when this call was made has been erased.',
}

const stillRunning = (): AppError =>
  new AppError('conflict', 'This call is not settled yet, and its content not stored. Try again when it is.')

const notNow = (): AppError =>
  new AppError('service_unavailable', 'The content cannot be read right now. Try again.', { retryAfterSeconds: 5 })
