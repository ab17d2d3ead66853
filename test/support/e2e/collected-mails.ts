// The local mailbox as tests use it: the settings that lead to it, and the tokens of the links that it got.
import { once } from 'node:events'
import { mailSettings } from '../../../scripts/local/local-servers.ts'
import { startMailbox, type Mailbox } from '../../../scripts/local/servers/mailbox.ts'

export type CollectedMails = {
  mailbox: Mailbox
  /** The settings with which the Worker mails to it, and lets everybody sign up. */
  settings: Record<string, string>
  /** The token of the newest link to this page that was mailed to the address. Waits for it. */
  tokenFor(address: string, page: 'confirm' | 'reset' | 'invite' | 'app/account'): Promise<string>
  close(): Promise<void>
}

const KEY = 'a-key-for-tests-only'

export async function collectMails(): Promise<CollectedMails> {
  const arrived = new EventTarget()
  const mailbox = await startMailbox({ key: KEY, onMail: () => void arrived.dispatchEvent(new Event('mail')) })

  function newestFor(address: string, page: string): string | undefined {
    const tokens = mailbox.mails(address).map(({ text }) => text.split(`/${page}#`)[1]?.slice(0, 43))
    return tokens.find((token) => token !== undefined)
  }

  return {
    mailbox,
    settings: mailSettings(mailbox.url, KEY),
    async tokenFor(address, page) {
      for (let token = newestFor(address, page); ; token = newestFor(address, page)) {
        if (token !== undefined) return token
        await once(arrived, 'mail')
      }
    },
    close: () => mailbox.close(),
  }
}
