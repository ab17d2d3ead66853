// The mails that the local mailbox holds: the newest, in memory, until it is closed.
import { randomUUID } from 'node:crypto'
import { linksIn } from './links.ts'

export type SentMail = { from: string; to: readonly string[]; subject: string; text: string }

export type KeptMail = SentMail & { id: string; receivedAt: string; links: readonly string[] }

const MOST_MAILS = 200

export class KeptMails {
  readonly #onMail: (mail: KeptMail) => void
  /** Newest first. */
  #mails: readonly { mail: KeptMail; repeatKey: string | undefined }[] = []
  #waiting: (() => void)[] = []

  constructor(onMail: (mail: KeptMail) => void) {
    this.#onMail = onMail
  }

  /** @param repeatKey of two mails under one key the second is the first again */
  keep(sent: SentMail, repeatKey: string | undefined): KeptMail {
    const earlier = this.#mails.find((kept) => repeatKey !== undefined && kept.repeatKey === repeatKey)
    if (earlier !== undefined) return earlier.mail
    const mail = { ...sent, id: randomUUID(), receivedAt: new Date().toISOString(), links: linksIn(sent.text) }
    this.#mails = [{ mail, repeatKey }, ...this.#mails].slice(0, MOST_MAILS)
    this.#onMail(mail)
    for (const wake of this.#waiting.splice(0)) wake()
    return mail
  }

  /** Newest first; those to one address where one is given. */
  list(to?: string): readonly KeptMail[] {
    return this.#mails.flatMap(({ mail }) => (to === undefined || mail.to.includes(to) ? [mail] : []))
  }

  /** The newest mail to an address, as soon as there is one. Rejects when the time is up. */
  async waitFor(to: string, limitMs: number): Promise<KeptMail> {
    const late = AbortSignal.timeout(limitMs)
    for (;;) {
      const [mail] = this.list(to)
      if (mail !== undefined) return mail
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve)
        late.addEventListener('abort', () => reject(new Error(`No mail to ${to} came within ${limitMs} ms.`)), {
          once: true,
        })
      })
    }
  }
}
