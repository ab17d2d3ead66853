// Writes the mails about an erasure, to an organisation's owners or to a person. Plain text without people's names.
import { organisationInMail, type Mail } from '../../platform/mail.ts'

type MailContent = Omit<Mail, 'to'>

/** `isImmediate`: it cannot be cancelled. */
export type ErasureMail = {
  name: string
  id: string
  dueAt: number
  isImmediate: boolean
  recordUrl: string
  origin: string
}

export function erasureScheduledMail({ name, id, dueAt, isImmediate, recordUrl, origin }: ErasureMail): MailContent {
  const cancelling = `It will be erased after ${new Date(dueAt).toISOString()}, and nobody can undo that. Until then you can export the data.\n\nTo cancel the erasure before it begins, sign in at ${origin} as an owner and send DELETE /api/settings/erasure.`
  return {
    subject: 'Your organisation will be erased',
    text: [
      `An owner of ${organisationInMail(name)} has asked for its erasure. Its keys no longer work.`,
      isImmediate ? 'The owner chose to erase it now. Nobody can undo that.' : cancelling,
      `The signed record of the erasure will be at ${recordUrl} (${id}). Keep this message: your address is erased too.`,
    ].join('\n\n'),
  }
}

export const personErasureScheduledMail = ({ dueAt, origin }: Pick<ErasureMail, 'dueAt' | 'origin'>): MailContent => ({
  subject: 'Your account will be erased',
  text: [
    `Somebody, probably you, signed in to your account at ${origin} and asked for its erasure. All its sessions have ended.`,
    `It will be erased after ${new Date(dueAt).toISOString()}, and nobody can undo that. To cancel before then, sign in at ${origin}/app/account.`,
    'If that was not you, cancel it and change your password. This is the last message, because your address is erased too.',
  ].join('\n\n'),
})

export const erasureCancelledMail = ({ name, id }: Pick<ErasureMail, 'name' | 'id'>): MailContent => ({
  subject: 'Your organisation will not be erased',
  text: `An owner of ${organisationInMail(name)} has cancelled its erasure (${id}). Its keys work again.`,
})

/** @param record JSON */
export const erasureCompletedMail = (record: string): MailContent => ({
  subject: 'Your organisation was erased',
  text: [
    'Your organisation was erased. This is the signed record of the erasure, which countersign-verify checks:',
    record,
    'This is the last message: your address is erased too, unless you are a member of another organisation.',
  ].join('\n\n'),
})
