// CBOR as authenticators write it. Values of RFC 8949, appendix A, in a map.
import { expect, it } from 'vitest'
import { readCborMap } from '../../../../src/accounts/second-factor/cbor.ts'

const read = (hex: string) => readCborMap(Uint8Array.fromHex(hex))

/** Each list is the value of 0 in the map of the level above. */
const nested = (levels: number) => `${'a100'.repeat(levels)}00`

it.each([
  ['17', 23],
  ['1818', 24],
  ['18ff', 255],
  ['190100', 256],
  ['1a00010000', 65_536],
  ['1affffffff', 4_294_967_295],
  ['20', -1],
  ['390100', -257],
  ['f4', false],
  ['f5', true],
  ['4101', Uint8Array.of(1)],
  ['62c3bc', 'ü'],
  ['820120', [1, -1]],
  ['a16161a0', new Map([['a', new Map()]])],
])('reads %s', (hex, value) => {
  expect(read(`a100${hex}`)).toEqual({ map: new Map([[0, value]]), length: hex.length / 2 + 2 })
})

it('says how many bytes the map has', () => {
  expect(read('a0ffff')).toEqual({ map: new Map(), length: 1 })
})

it.each([
  ['nothing', ''],
  ['another kind', '00'],
  ['a map cut short', 'a1'],
  ['bytes cut short', 'a1004201'],
  ['a length cut short', 'a10019ff'],
  ['23 in a byte', 'a1001817'],
  ['255 in two bytes', 'a1001900ff'],
  ['65,535 in four bytes', 'a1001a0000ffff'],
  ['a number of eight bytes', 'a1001b0000000100000000'],
  ['an indefinite length', 'a1005f4100ff'],
  ['a reserved length', 'a1001c'],
  ['text that is not UTF-8', 'a10061ff'],
  ['a tag', 'a100c000'],
  ['null', 'a100f6'],
  ['a float', 'a100f90000'],
  ['a key twice', 'a200000000'],
  ['a key of bytes', 'a1410000'],
  ['33 members of a list', `a1009821${'00'.repeat(33)}`],
  [
    '33 members',
    `b821${Array.from({ length: 33 }, (_, at) => `${at < 24 ? '' : '18'}${at.toString(16).padStart(2, '0')}00`).join('')}`,
  ],
  ['six levels', nested(5)],
])('refuses %s', (_, hex) => {
  expect(read(hex)).toBeNull()
})

it('reads five levels', () => {
  expect(read(nested(4))).not.toBeNull()
})
