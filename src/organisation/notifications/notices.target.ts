// Reads and changes what members are mailed about, lists the mails, and has the alarm task that sends them. A choice is a
// preference, so the log has no entry about it.
import type { MemberNoticesStore, NoticeChoice, NoticeMail } from '../../notifications/member-notices.store.ts'
import { noticeMail } from '../../notifications/notice-mails.ts'
import type { NoticeType } from '../../notifications/notices.words.ts'
import { readConfig } from '../../platform/config.ts'
import { createMailer, type Mailer } from '../../platform/mail.ts'
import type { AlarmTask } from '../object-alarm.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores, TakeTurn } from '../organisation-stores.ts'
import { listNoticeReaders } from './notice-readers.store.ts'

export type OwnNotices = { types: readonly NoticeType[]; mails: NoticeMail[] }

export class NoticesTarget extends FeatureTarget<'stores' | 'turns'> {
  read(person: string): OwnNotices {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => this.#show(stores.outbox.members, person))
  }

  choose(choice: NoticeChoice): OwnNotices {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => {
      stores.outbox.members.choose(choice)
      return this.#show(stores.outbox.members, choice.personId)
    })
  }

  #show(store: MemberNoticesStore, person: string): OwnNotices {
    const choice = store.listChoices().find(({ personId }) => personId === person)
    return { types: choice?.types ?? [], mails: store.listMails(person) }
  }
}

export const noticeTask = (env: Cloudflare.Env, { outbox }: Pick<Stores, 'outbox'>, takeTurn: TakeTurn): AlarmTask => ({
  failure: 'notices_not_mailed',
  dueAt: (now) => outbox.members.dueAt(now),
  run: (now) =>
    mailDueNotices(
      {
        db: env.DB,
        store: outbox.members,
        takeTurn,
        mailer: () => createMailer(readConfig(env).signIn.mail, env.EMAIL),
      },
      now,
    ),
})

type MailParts = { db: D1Database; store: MemberNoticesStore; takeTurn: TakeTurn; mailer: () => Mailer }

/**
 * Mails each notice that is due to the members who chose it. A notice counts as mailed before its mails are sent, so that a crash
 * loses a mail and sends none twice.
 */
export async function mailDueNotices({ db, store, takeTurn, mailer }: MailParts, now: number): Promise<void> {
  if ((store.dueAt(now) ?? Infinity) > now) return
  const readers = await readersOf(db, store.listChoices(), now)
  const sender = mailer()
  for (const notice of takeTurn(() => store.take(now))) {
    const outcomes = await Promise.all(
      readers
        .filter(({ types }) => types.includes(notice.type))
        .map(async ({ personId, to }) => ({ personId, outcome: await sender.send(noticeMail(to, notice)) })),
    )
    takeTurn(() => {
      for (const { personId, outcome } of outcomes) store.insertMail(personId, { ...notice, sentAt: now, outcome })
    })
  }
}

type Reader = Pick<NoticeChoice, 'personId' | 'types'> & { to: Parameters<typeof noticeMail>[0] }

async function readersOf(db: D1Database, choices: readonly NoticeChoice[], now: number): Promise<Reader[]> {
  const [first] = choices
  if (first === undefined) return []
  const { organisationId: id } = first
  const people = choices.map(({ personId }) => personId)
  const found = new Map((await listNoticeReaders(db, id, people, now)).map((reader) => [reader.personId, reader]))
  return choices.flatMap(({ personId, origin, types }) => {
    const reader = found.get(personId)
    if (reader === undefined) return []
    const { email, organisationName: name } = reader
    return [{ personId, types, to: { to: email, origin, organisation: { id, name } } }]
  })
}
