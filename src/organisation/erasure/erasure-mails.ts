// What owners are told of an erasure. Plain text; no name of a person.
import type { Mail } from '../../mail/mailer.ts'

type Content = Omit<Mail, 'to'>

export type Told = { name: string; id: string; dueAt: number; recordUrl: string; origin: string }

export function erasureScheduled({ name, id, dueAt, recordUrl, origin }: Told): Content {
  return {
    subject: 'Your organisation is to be erased',
    text: [
      `An owner of “${name}” has asked for it to be erased. Its keys are refused from this moment on.`,
      `It is erased after ${new Date(dueAt).toISOString()}, and nobody can take that back then. Until it begins any owner can cancel it: sign in at ${origin} and send DELETE /api/settings/erasure. The data can still be exported.`,
      `The signed record of it will be at ${recordUrl} (${id}). Keep this message: your address is erased too.`,
    ].join('\n\n'),
  }
}

export function erasureCancelled({ name, id }: Pick<Told, 'name' | 'id'>): Content {
  return {
    subject: 'Your organisation is not erased',
    text: `An owner of “${name}” has cancelled its erasure (${id}). Its keys work again.`,
  }
}

/** @param record as JSON */
export function erasureCompleted(record: string): Content {
  return {
    subject: 'Your organisation is erased',
    text: [
      'Your organisation is erased. This is the signed record of it, which countersign-verify checks:',
      record,
      'This is the last message: your address is erased too, unless you are a member of another organisation.',
    ].join('\n\n'),
  }
}
