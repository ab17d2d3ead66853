// How mail leaves. Text only. An address is in no log.

export type Mail = { to: string; subject: string; text: string }

/** `failed`: nothing left, or nobody knows. Never rejects. */
export type Mailer = {
  /** Whether mail leaves at all; where not, links are handed over by whoever asked for them. */
  readonly sends: boolean
  send(mail: Mail): Promise<'sent' | 'failed'>
}

/**
 * What came of handing a mail over. `cause`: a word of ours, or a code that Cloudflare documents; `status`: the HTTP status
 * that refused it, where there was one.
 */
export type Handed = { ok: true } | { ok: false; cause: string; status?: number }
