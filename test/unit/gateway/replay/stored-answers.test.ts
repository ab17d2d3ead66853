import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packAnswer, unpackAnswer } from '../../../../src/gateway/replay/stored-answers.store.ts'

describe('an answer that is kept', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(
        fc.record({
          status: fc.integer({ min: 200, max: 599 }),
          headers: fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.string()),
          body: fc.uint8Array().map((bytes) => Uint8Array.from(bytes)),
        }),
        (answer) => {
          expect(unpackAnswer(packAnswer(answer))).toEqual(answer)
        },
      ),
    )
  })

  it.each(['', '{}', '{"status":200}\nbody', '{"status":99,"headers":{}}\nbody', 'no answer\n'])(
    'is none where it is not of that form: %j',
    (text) => {
      expect(unpackAnswer(Uint8Array.from(new TextEncoder().encode(text)))).toBeNull()
    },
  )
})
