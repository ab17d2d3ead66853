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
  const cancelling = `It is erased after ${new Date(dueAt).toISOString()}, and nobody can take that back then. Until it begins any owner can cancel it: sign in at ${origin} and send DELETE /api/settings/erasure. The data can still be exported.`
  return {
    subject: 'Your organisation is to be erased',
    text: [
      `An owner of ${organisationInMail(name)} has asked for it to be erased. Its keys are refused from this moment on.`,
      isImmediate ? 'It is erased at once, as the owner has chosen, and nobody can take that back.' : cancelling,
      `The signed record of it will be at ${recordUrl} (${id}). Keep this message: your address is erased too.`,
    ].join('\n\n'),
  }
}

export function personErasureScheduledMail({ dueAt, origin }: Pick<ErasureMail, 'dueAt' | 'origin'>): MailContent {
  return {
    subject: 'Your account is to be erased',
    text: [
      `Somebody who had just signed in to your account at ${origin}, most likely you, has asked for it to be erased. All its sessions are ended.`,
      `It is erased after ${new Date(dueAt).toISOString()}, and nobody can take that back then. Until it begins you can cancel it: sign in, at ${origin}/app/account.`,
      'If that was not you, cancel it and change your password. This is the last message: your address is erased too.',
    ].join('\n\n'),
  }
}

export function erasureCancelledMail({ name, id }: Pick<ErasureMail, 'name' | 'id'>): MailContent {
  return {
    subject: 'Your organisation is not erased',
    text: `An owner of ${organisationInMail(name)} has cancelled its erasure (${id}). Its keys work again.`,
  }
}

/** @param record JSON */
export function erasureCompletedMail(record: string): MailContent {
  return {
    subject: 'Your organisation is erased',
    text: [
      'Your organisation is erased. This is the signed record of it, which countersign-verify checks:',
      record,
      'This is the last message: your address is erased too, unless you are a member of another organisation.',
    ].join('\n\n'),
  }
}
