// The mailer that the settings name, and what every one of them has in common: what may be mailed, and what is logged.
import { ConfigError } from '../config.ts'
import { log } from '../log.ts'
import type { MailConfig } from '../sign-in-config.ts'
import { handToCloudflare } from './cloudflare-sender.ts'
import { handToHttp } from './http-sender.ts'
import { isMailable } from './mail.policy.ts'
import type { Handed, Mail, Mailer } from './mailer.ts'

/**
 * @param binding of the kind `send_email`, named EMAIL in wrangler.toml
 * Throws ConfigError where the settings name a binding that is not there.
 */
export function createMailer(config: MailConfig, binding: SendEmail | undefined): Mailer {
  switch (config.sender) {
    case 'none':
      return NO_MAILER
    case 'http':
      return mailerWith((mail) => handToHttp(config, mail))
    case 'cloudflare':
      if (binding === undefined) throw new ConfigError(['EMAIL'])
      return mailerWith((mail) => handToCloudflare(binding, config.from, mail))
  }
}

const NO_MAILER: Mailer = { sends: false, send: () => Promise.resolve('failed') }

const mailerWith = (hand: (mail: Mail) => Promise<Handed>): Mailer => ({
  sends: true,
  async send(mail) {
    const handed: Handed = isMailable(mail) ? await hand(mail) : { ok: false, cause: 'not_mailable' }
    if (handed.ok) return 'sent'
    log({
      level: 'error',
      event: 'mail_failed',
      error_cause: handed.cause,
      ...(handed.status !== undefined && { upstream_status: handed.status }),
    })
    return 'failed'
  },
})
