// Tests the rules of every mailer, and the one that hands mail to Cloudflare's binding.
import { afterEach, describe, expect, it, vi } from 'vitest'
import fc from 'fast-check'
import { createMailer, sendByCloudflare, isMailable } from '../../../src/platform/mail.ts'
import { ConfigError } from '../../../src/platform/config.ts'

const FROM = 'service@countersign.example'
const MAIL = { to: 'someone@practice.example', subject: 'Confirm your address', text: 'Open this link.\n\nhttps://…' }

const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
afterEach(() => logged.mockClear())

const logLines = (): string => JSON.stringify(logged.mock.calls)

function mailerOver(send: SendEmail['send']) {
  return createMailer({ sender: 'cloudflare', from: FROM }, { send })
}

describe('a mailer over Cloudflare’s binding', () => {
  it('hands over the address, the subject and the text, and nothing else', async () => {
    const send = vi.fn(() => Promise.resolve({ messageId: 'one' }))
    expect(await mailerOver(send).send(MAIL)).toBe('sent')
    expect(send.mock.calls).toEqual([[{ from: FROM, ...MAIL }]])
    expect(logged).not.toHaveBeenCalled()
  })

  it.each([
    ['a documented code', { code: 'E_SENDER_NOT_VERIFIED', message: MAIL.to }, 'E_SENDER_NOT_VERIFIED'],
    ['another code', { code: `E_${MAIL.to}` }, 'binding_failed'],
    ['no code', new Error(MAIL.to), 'binding_failed'],
    ['no object', MAIL.to, 'binding_failed'],
  ])('logs %s without what the platform wrote', async (_, thrown, cause) => {
    expect(await mailerOver(() => Promise.reject(thrown)).send(MAIL)).toBe('failed')
    expect(logLines()).toContain(cause)
    expect(logLines()).not.toContain(MAIL.to)
  })

  it('is refused at the start where the binding is missing', () => {
    expect(() => createMailer({ sender: 'cloudflare', from: FROM }, undefined)).toThrow(ConfigError)
  })
})

it('waits for Cloudflare’s binding no longer than it may', async () => {
  const silent = { send: () => new Promise<never>(() => undefined) }
  expect(await sendByCloudflare(silent, FROM, MAIL, 1)).toEqual({ ok: false, cause: 'timeout' })
})

describe('no mailer', () => {
  it('says that nothing leaves', async () => {
    const mailer = createMailer({ sender: 'none' }, undefined)
    expect([mailer.sends, await mailer.send(MAIL)]).toEqual([false, 'failed'])
  })
})

describe('what may be mailed', () => {
  it.each([
    ['another header in the subject', { subject: 'Hello\r\nBcc: other@practice.example' }],
    ['another header in the address', { to: 'someone@practice.example\nBcc: other@practice.example' }],
    ['a line separator', { subject: 'Hello\u2028Bcc: other@practice.example' }],
    ['two addresses', { to: 'someone@practice.example,other@practice.example' }],
    ['two addresses with a blank', { to: 'someone@practice.example other@practice.example' }],
    ['a display name', { to: 'Somebody <someone@practice.example>' }],
    ['a source route', { to: '@other.example:someone@practice.example' }],
    ['text that is written backwards', { to: 'someone\u202e@practice.example' }],
    ['no address', { to: '' }],
    ['a subject of blanks', { subject: ' ' }],
    ['a subject without end', { subject: 'x'.repeat(201) }],
  ])('not with %s: nothing is handed over', async (_, change) => {
    const send = vi.fn(() => Promise.resolve({ messageId: 'one' }))
    expect(await mailerOver(send).send({ ...MAIL, ...change })).toBe('failed')
    expect(send).not.toHaveBeenCalled()
    expect(logLines()).toContain('not_mailable')
    expect(logLines()).not.toContain('practice.example')
  })

  it('whatever is in its text, also where the address is not ASCII', () => {
    expect(isMailable({ to: 'jörg.o’neill+1@münchen.example', subject: 'Grüße', text: 'a\r\nBcc: b\0' })).toBe(true)
  })

  it('never with a control character in a header', () => {
    const control = fc.integer({ min: 0, max: 31 }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.string(), control, fc.string(), (before, character, after) => {
        const text = `${before}${character}${after}`
        return !isMailable({ ...MAIL, subject: text }) && !isMailable({ ...MAIL, to: `${text}@practice.example` })
      }),
    )
  })
})
