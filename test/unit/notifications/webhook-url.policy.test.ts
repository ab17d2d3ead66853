// Which addresses may be set as a webhook, by their text.
import { describe, expect, it } from 'vitest'
import { checkWebhookUrl, MOST_URL_CHARACTERS } from '../../../src/notifications/webhook-url.policy.ts'

const RULES = { allowsLoopback: false, ownHost: 'countersign.example' }
const judge = (url: string, rules = RULES): string => {
  const checked = checkWebhookUrl(url, rules)
  return checked.outcome === 'good' ? `good ${checked.host}` : checked.fault
}

it.each([
  ['https://hooks.example.org/in/T0/secret?x=1', 'good hooks.example.org'],
  ['https://hooks.example.org:443/', 'good hooks.example.org'],
  ['https://hooks.example.org:8443/', 'good hooks.example.org'],
  ['https://HOOKS.Example.org/', 'good hooks.example.org'],
  ['https://bücher.example/', 'good xn--bcher-kva.example'],
  ['https://1e100.net/', 'good 1e100.net'],
  ['', 'no_url'],
  ['hooks.example.org', 'no_url'],
  ['https://', 'no_url'],
  ['http://hooks.example.org/', 'not_https'],
  ['ftp://hooks.example.org/', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['javascript:alert(1)', 'not_https'],
  ['https://user@hooks.example.org/', 'credentials'],
  ['https://user:word@hooks.example.org/', 'credentials'],
  ['https://:word@hooks.example.org/', 'credentials'],
  ['https://hooks.example.org/#part', 'fragment'],
  ['https://hooks.example.org/#', 'fragment'],
  ['https://hooks.example.org:25/', 'port'],
  ['https://hooks.example.org:1023/', 'port'],
  ['https://hooks.example.org:0/', 'port'],
  ['https://hooks.example.org:65536/', 'no_url'],
  ['https://countersign.example/v1/chat/completions', 'own_host'],
  ['https://COUNTERSIGN.example/', 'own_host'],
  ['https://localhost/', 'local_name'],
  ['https://a.localhost/', 'local_name'],
  ['https://intranet/', 'local_name'],
  ['https://printer.local/', 'local_name'],
  ['https://metadata.google.internal/', 'local_name'],
  ['https://router.home.arpa/', 'local_name'],
  ['https://hooks.example.org./', 'local_name'],
  ['https://hooks..example.org/', 'local_name'],
  ['https://-hooks.example.org/', 'local_name'],
  [`https://${'a'.repeat(64)}.example.org/`, 'local_name'],
])('%s is %s', (url, expected) => {
  expect(judge(url)).toBe(expected)
})

describe('an IP address', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://0177.0x0.1/',
    'https://127.0.0.1./',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://8.8.8.8/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[2606:4700:4700::1111]/',
  ])('is refused however it is written: %s', (url) => {
    expect(judge(url)).toBe('ip_address')
  })

  it.each(['https://256.0.0.1/', 'https://1.2.3.4.5/', 'https://[::1%25eth0]/'])(
    'that is none is no URL: %s',
    (url) => {
      expect(judge(url)).toBe('no_url')
    },
  )
})

describe('this very machine', () => {
  const local = { ...RULES, allowsLoopback: true }

  it.each(['http://127.0.0.1:8790/', 'http://localhost:80/', 'https://[::1]/', 'http://127.1:9/'])(
    'is allowed while developing: %s',
    (url) => {
      expect(judge(url, local)).toBe('good null')
    },
  )

  it.each([
    ['http://127.0.0.2/', 'not_https'],
    ['http://10.0.0.1/', 'not_https'],
    ['https://10.0.0.1/', 'ip_address'],
    ['http://hooks.example.org/', 'not_https'],
    ['ftp://127.0.0.1/', 'not_https'],
    ['http://user@127.0.0.1/', 'credentials'],
  ])('and nothing else is: %s', (url, expected) => {
    expect(judge(url, local)).toBe(expected)
  })
})

it('is of at most 2,048 characters', () => {
  const url = (length: number): string => 'https://hooks.example.org/'.padEnd(length, 'a')
  expect([judge(url(MOST_URL_CHARACTERS)), judge(url(MOST_URL_CHARACTERS + 1))]).toEqual([
    'good hooks.example.org',
    'too_long',
  ])
})
