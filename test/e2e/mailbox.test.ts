// The local mailbox: what it takes, what it refuses, and that a hostile mail is shown and does nothing.
import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linksIn, splitLinks, renderMailbox, type ReceivedMail } from '../../scripts/local/servers/mailbox-page.ts'
import { announceMail, MailStore, startMailbox, type Mailbox } from '../../scripts/local/servers/mailbox.ts'
import { sendByHttp } from '../../src/platform/mail.ts'

const KEY = 'mailbox-for-tests'
const MAIL = { from: 'service@countersign.example', to: 'someone@practice.example', subject: 'Hello', text: 'A text.' }

let mailbox: Mailbox
let announced: ReceivedMail[]
beforeAll(async () => {
  announced = []
  mailbox = await startMailbox({ key: KEY, onMail: (mail) => announced.push(mail) })
})
afterAll(() => mailbox.close())

type Change = { body?: unknown; headers?: Record<string, string> }

const post = ({ body = MAIL, headers = {} }: Change = {}) =>
  fetch(`${mailbox.url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('the local mailbox', () => {
  it('takes what the service sends, shows it as JSON and as a page, and tells whoever waits', async () => {
    const mail = {
      to: 'new@practice.example',
      subject: 'Confirm',
      text: 'Open http://127.0.0.1:8787/confirm#a-token_.',
    }
    const waiting = mailbox.waitFor(mail.to)
    expect(await sendByHttp({ url: mailbox.url, key: KEY, from: MAIL.from }, mail)).toEqual({ ok: true })
    const links = ['http://127.0.0.1:8787/confirm#a-token_']
    expect(await waiting).toMatchObject({ ...mail, to: [mail.to], links })
    const listed = await fetch(`${mailbox.url}/mails?to=${mail.to}`)
    expect(await listed.json()).toEqual({
      mails: [
        { ...mail, id: expect.any(String) as string, from: MAIL.from, to: [mail.to], links, received_at: isTime },
      ],
    })
    const page = await fetch(mailbox.url)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(await page.text()).toContain(`<a href="${links[0]}" rel="noopener noreferrer">${links[0]}</a>.`)
    expect(announced.at(-1)).toMatchObject({ subject: 'Confirm' })
  })

  it('lists newest first, and takes a repetition for what it is', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await (await post({ headers })).json()
    await post({ body: { ...MAIL, subject: 'Later' } })
    expect(await (await post({ headers })).json()).toEqual(first)
    expect(mailbox.mails(MAIL.to).map(({ subject }) => subject)).toEqual(['Later', 'Hello'])
  })

  it.each([
    ['another key', 401, { headers: { authorization: 'Bearer other' } }],
    ['no key', 401, { headers: { authorization: '' } }],
    ['no JSON', 422, { body: 'to=someone' }],
    ['a mail without a text', 422, { body: { ...MAIL, text: undefined } }],
    ['a mail of another form', 422, { body: { ...MAIL, html: '<p>' } }],
    ['nobody to send it to', 422, { body: { ...MAIL, to: [] } }],
    ['a mail without end', 413, { body: { ...MAIL, text: 'x'.repeat(300_000) } }],
  ])('refuses %s', async (_, status, change) => {
    const before = mailbox.mails().length
    expect((await post(change)).status).toBe(status)
    expect(mailbox.mails()).toHaveLength(before)
  })

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'shows nothing to a page that reaches it as %s',
    async (host) => {
      const status = await new Promise((resolve, reject) => {
        request(`${mailbox.url}/mails`, { headers: { host } }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
      expect(status).toBe(403)
    },
  )

  it.each([
    ['GET', '/emails'],
    ['DELETE', '/mails'],
    ['GET', '/nowhere'],
  ])('has no %s %s', async (method, path) => {
    expect((await fetch(`${mailbox.url}${path}`, { method })).status).toBe(404)
  })

  it('keeps the newest 200', () => {
    const kept = new MailStore(() => undefined)
    for (let at = 0; at < 300; at += 1) kept.keep({ ...MAIL, to: [MAIL.to], subject: String(at) }, undefined)
    expect(kept.list()).toHaveLength(200)
    expect(kept.list()[0]?.subject).toBe('299')
  })
})

const isTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)

const kept = (change: Partial<ReceivedMail>): ReceivedMail => ({
  ...MAIL,
  id: 'one',
  receivedAt: '2026-11-20T10:00:00.000Z',
  to: [MAIL.to],
  links: [],
  ...change,
})

const EMPTY = renderMailbox([kept({ subject: '', text: '', to: [''], from: '' })])
const tagsIn = (page: string): string[] => page.match(/<[^>]*>/g) ?? []

describe('the mailbox’s page', () => {
  it('gives what a mail says no tag of its own, but links', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        '</p></article>',
        "' style='",
        '&lt;',
      ),
    )
    fc.assert(
      fc.property(hostile, hostile, hostile, (subject, text, from) => {
        const page = renderMailbox([kept({ subject, text, from, to: [text] })])
        const ownTags = tagsIn(page).filter(
          (tag) => !/^<a href="https?:[^"<>]*" rel="noopener noreferrer">$|^<\/a>$/.test(tag),
        )
        expect(ownTags).toEqual(tagsIn(EMPTY))
      }),
    )
  })

  it.each(['javascript:alert(1)', 'data:text/html,<script>', 'HTTP://host', '//host/path'])(
    'makes no link of %s',
    (text) => {
      expect(linksIn(text)).toEqual([])
      expect(renderMailbox([kept({ text })])).not.toContain('<a ')
    },
  )

  it('shows the whole text, whatever links it has', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('http://', 'https://a.example/#x', '.', ' ', '"', '<'))
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('')
        expect(
          splitLinks(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text)
        for (const link of linksIn(text)) expect(link).toMatch(/^https?:\/\/[^\s"<>]+$/)
      }),
    )
  })
})

describe('what the terminal is told of a mail', () => {
  it('moves no cursor and names at most five links, those with a token', () => {
    const told = announceMail(
      kept({
        subject: 'Hi\u001b[2J\r\nroot:',
        links: ['http://h/', ...Array.from({ length: 9 }, (_, at) => `http://h/#${at}`)],
      }),
    )
    expect(told.split('\n')).toEqual([
      'Mail to someone@practice.example: Hi?[2J??root:',
      ...[0, 1, 2, 3, 4].map((at) => `  http://h/#${at}`),
    ])
  })
})
