// Signed notes: the form that Go's packages write, and every form that is none.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '../../../../src/evidence/records/base64.ts'
import { formatVkey, noteKey, parseVkey } from '../../../../src/evidence/checkpoint/note-key.ts'
import { verifyNote } from '../../../../src/evidence/checkpoint/note-signature.ts'
import { formatNote, parseNote } from '../../../../src/evidence/checkpoint/signed-note.ts'
import go from '../../../fixtures/checkpoints/go.json'
import { runs } from '../../../support/runs.ts'
import { logSigner, ORIGIN, signedBytes, textOf, witnessSigner } from './made-checkpoint.ts'

const faultOf = (text: string): string => {
  const read = parseNote(utf8ToBytes(text))
  return read.ok ? 'none' : read.fault
}

/** A key of a type that is not known, under the name of the log. Its signatures are longer than the log's. */
const UNKNOWN = unknownKey(ORIGIN, 0x06)

function unknownKey(name: string, type: number) {
  const typed = Uint8Array.of(type, ...new Uint8Array(32))
  const keyId = bytesToHex(sha256(concatBytes(utf8ToBytes(`${name}\n`), typed)).subarray(0, 4))
  return { name, keyId, typed }
}

const LINE = `— log.example ${encodeBase64(new Uint8Array(68))}\n`

describe('parseNote', () => {
  it.each(go.checkpoints)('reads and writes what Go wrote over $size leaves', ({ cosigned, text }) => {
    const read = parseNote(utf8ToBytes(cosigned))
    if (!read.ok) throw new Error(read.fault)
    expect(read.note.text).toBe(text)
    expect(read.note.signatures).toHaveLength(2)
    expect(formatNote(read.note)).toBe(cosigned)
  })

  it('takes the last empty line for the end of the text', () => {
    const read = parseNote(utf8ToBytes(`a\n\nb\n\n${LINE}`))
    expect(read).toMatchObject({ ok: true, note: { text: 'a\n\nb\n' } })
  })

  it.each([
    ['nothing', '', 'not_signed'],
    ['a text alone', 'a\n', 'not_signed'],
    ['no signature', 'a\n\n', 'not_signed'],
    ['no text', `\n\n${LINE}`, 'not_signed'],
    ['signatures alone', LINE, 'not_signed'],
    ['no newline at the end', `a\n\n${LINE.trimEnd()}`, 'not_signed'],
    ['an empty line at the end', `a\n\n${LINE}\n`, 'not_signed'],
    ['carriage returns', `a\r\n\r\n${LINE}`, 'control_character'],
    ['a tab in its text', `a\tb\n\n${LINE}`, 'control_character'],
    ['a NUL in its text', `a\0\n\n${LINE}`, 'control_character'],
    ['an escape in its text', `a\u001b[2J\n\n${LINE}`, 'control_character'],
    ['a hyphen for a dash', `a\n\n${LINE.replace('—', '-')}`, 'line_malformed'],
    ['two spaces', `a\n\n${LINE.replace(' ', '  ')}`, 'line_malformed'],
    ['a space at the end of a line', `a\n\n${LINE.replace('\n', ' \n')}`, 'line_malformed'],
    ['a plus in the name', `a\n\n${LINE.replace('log', 'lo+g')}`, 'line_malformed'],
    ['a no-break space in the name', `a\n\n${LINE.replace('log', 'lo\u00a0g')}`, 'line_malformed'],
    ['a line separator in the name', `a\n\n${LINE.replace('log', 'lo\u2028g')}`, 'line_malformed'],
    ['no signature in a line', 'a\n\n— log.example AAAAAA==\n', 'line_malformed'],
    ['base64 without padding', `a\n\n${LINE.replace('=', '')}`, 'line_malformed'],
    ['base64url', `a\n\n${LINE.replace('AAAA', 'AA_A')}`, 'line_malformed'],
    ['base64 with bits left over', `a\n\n${LINE.replace('A=', 'B=')}`, 'line_malformed'],
    ['33 signatures', `a\n\n${LINE.repeat(33)}`, 'too_many_signatures'],
    ['129 KiB', `${'a'.repeat(129 * 1024)}\n\n${LINE}`, 'too_large'],
  ])('refuses %s', (_, text, fault) => {
    expect(faultOf(text)).toBe(fault)
  })

  it('takes sixteen signatures, and more up to 32', () => {
    expect(faultOf(`a\n\n${LINE.repeat(16)}`)).toBe('none')
    expect(faultOf(`a\n\n${LINE.repeat(32)}`)).toBe('none')
  })

  it('refuses bytes that are not UTF-8, and keeps a byte-order mark', () => {
    expect(parseNote(Uint8Array.of(0xff, 0x0a, 0x0a))).toEqual({ ok: false, fault: 'not_utf8' })
    expect(parseNote(utf8ToBytes(`\ufeffa\n\n${LINE}`))).toMatchObject({ note: { text: '\ufeffa\n' } })
  })

  it('answers whatever bytes it is given, and writes again what it read', () => {
    const part = fc.oneof(
      fc.constantFrom('\n', '\n\n', '— ', ' ', LINE, '+', '\r', 'AAAA', '='),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const read = parseNote(new TextEncoder().encode(text))
        if (read.ok) expect(formatNote(read.note)).toBe(text)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('vkeys', () => {
  it.each([go.log_vkey, go.witness_vkey])('are read and written as Go does: %s', (vkey) => {
    const key = parseVkey(vkey)
    expect(key === null ? null : formatVkey(key)).toBe(vkey)
  })

  it.each([
    ['nothing', ''],
    ['another id', go.log_vkey.replace('+ddf3542a+', '+ddf3542b+')],
    ['an id in capitals', go.log_vkey.replace('+ddf3542a+', '+DDF3542A+')],
    ['another name', go.log_vkey.replace('countersign', 'counterfeit')],
    ['no name', go.log_vkey.slice(go.log_vkey.indexOf('+'))],
    ['a key cut short', go.log_vkey.slice(0, -4)],
    ['a byte more', `${go.log_vkey}AAAA`],
    ['white space at its end', `${go.log_vkey}\n`],
    ['a type that is not known', `${UNKNOWN.name}+${UNKNOWN.keyId}+${encodeBase64(UNKNOWN.typed)}`],
  ])('are none with %s', (_, text) => {
    expect(parseVkey(text)).toBeNull()
  })

  it('come back from their text for every name that a key may have', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 })
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(name, fc.constantFrom('ed25519' as const, 'cosignature' as const), key, (text, type, publicKey) => {
        if (/[\p{White_Space}\p{Cc}+]/u.test(text)) {
          expect(() => noteKey(text, type, publicKey)).toThrow(TypeError)
        } else {
          const made = noteKey(text, type, publicKey)
          expect(parseVkey(formatVkey(made))).toEqual(made)
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('verifyNote', () => {
  const read = (bytes: Uint8Array) => {
    const parsed = parseNote(bytes)
    if (!parsed.ok) throw new Error(parsed.fault)
    return parsed.note
  }

  it('does not look at lines of other keys, even of one name or of one id with a known one', async () => {
    const [log, other, witness] = [
      await logSigner(),
      await logSigner('other'),
      await witnessSigner('witness.example/w'),
    ]
    const note = read(await signedBytes([log, other, witness]))
    expect(verifyNote(note, [log.key])).toEqual([{ key: log.key, seconds: null }])
    const sameId = { ...other.key, keyId: log.key.keyId, name: 'other.example' }
    expect(verifyNote(note, [sameId])).toEqual([])
  })

  it('does not look at a line of a type that is not known, under the name of a known key', async () => {
    const [log, witness] = [await logSigner(), await witnessSigner('witness.example/w')]
    const note = read(await signedBytes([log, witness]))
    const { name, keyId } = UNKNOWN
    const signatures = [{ name, keyId, signature: new Uint8Array(2428).fill(1) }, ...note.signatures]
    const mixed = read(utf8ToBytes(formatNote({ ...note, signatures })))
    expect(mixed.signatures).toHaveLength(3)
    expect(verifyNote(mixed, [log.key, witness.key])?.map(({ key }) => key)).toEqual([log.key, witness.key])
  })

  it('is spoilt by a line of a known key that is not its signature, though another is', async () => {
    const log = await logSigner()
    const note = read(await signedBytes([log]))
    const [line] = note.signatures
    if (line === undefined) throw new Error('not signed')
    const forged = { ...line, signature: line.signature.map((byte, at) => (at === 40 ? byte ^ 1 : byte)) }
    expect(verifyNote({ ...note, signatures: [line, line] }, [log.key])).toHaveLength(2)
    expect(verifyNote({ ...note, signatures: [line, forged] }, [log.key])).toBeNull()
    expect(verifyNote({ ...note, signatures: [forged, line] }, [log.key])).toBeNull()
  })

  it('finds any one bit of text or signature that was changed', async () => {
    const [log, witness] = [await logSigner(), await witnessSigner('witness.example/w')]
    const bytes = await signedBytes([log, witness])
    const whole = textOf(bytes)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), (bit) => {
        const changed = bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        const parsed = parseNote(changed)
        if (!parsed.ok) return
        const verified = verifyNote(parsed.note, [log.key, witness.key])
        // A line whose name or id was changed is of an unknown key.
        expect(verified === null || verified.length < 2 || formatNote(parsed.note) === whole).toBe(true)
      }),
      { numRuns: runs(100) },
    )
  })
})
