import { describe, expect, it } from 'vitest'
import { readIdempotencyKey } from '../../../src/platform/read-request.ts'

const read = (sent: string) => readIdempotencyKey(new Headers({ 'idempotency-key': sent }))

describe('the header idempotency-key', () => {
  it('need not be there', () => {
    expect(readIdempotencyKey(new Headers())).toBeNull()
  })

  it.each([
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    [String.raw`"a \"b\" \\ c"`, String.raw`a "b" \ c`],
    ['a "b" c', 'a "b" c'],
    ['"', '"'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
  ])('means the same with quotes and without: %s', (sent, key) => {
    expect(read(sent)).toBe(key)
  })

  it.each(['', '""', 'k'.repeat(256), `"${'k'.repeat(256)}"`, '"a", "b"', String.raw`"a\b"`, 'a\tb'])(
    'is refused where it is no key, and is not repeated: %j',
    (sent) => {
      expect(read(sent)).toMatchObject({ code: 'invalid_request', details: { param: 'idempotency-key' } })
    },
  )
})
