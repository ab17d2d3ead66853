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
      return new AppError(
        'not_found',
        'The details and the content of this call have expired. Its leaf stays in the log.',
      )
    case 'object_missing':
      return new AppError('not_found', 'The content of this call was erased. Its record stays in the log.')
    case 'object_damaged':
      return new AppError('internal_error', DAMAGED)
    case 'unreadable':
    case 'storage_failed':
      return notNow()
    case 'none':
      return absent.why === 'running' ? stillRunning() : new AppError('not_found', WHY[absent.why])
  }
}

const DAMAGED = 'The stored content does not match the SHA-256 in the ledger, so it is not shown. Tell the operator.'

const WHY: Readonly<Record<Exclude<NoContent, 'running'>, string>> = {
  not_logged: 'This call has no stored content: content logging was off, or the call was refused.',
  lost: 'The content of this call was lost: it could not be stored, or the call was cut off. Its settlement says so.',
  over: 'The content of this call has expired.',
  erased: 'An erasure deleted all content from the time of this call.',
}

const stillRunning = (): AppError =>
  new AppError('conflict', 'This call is still running, so its content is not stored yet. Try again when it has ended.')

const notNow = (): AppError =>
  new AppError('service_unavailable', 'The content cannot be read right now. Try again in a moment.', {
    retryAfterSeconds: 5,
  })
