// Which addresses are of one network.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../../../src/accounts/sign-in/read-caller.ts'

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['203.0.113.255', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['::ffff:cb00:7107', '203.0.113.0/24'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ])('%s is in %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it.each([
    undefined,
    '',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.7, 198.51.100.7',
    '2001:db8',
    '1:2:3:4:5:6:7:8:9',
    ':::',
    'fe80::1%eth0',
    ']/',
  ])('%s is of none that is known', (address) => {
    expect(networkOf(address)).toBe('unknown')
  })
})

const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })

it('all that differ in the last 64 bits are of one', () => {
  fc.assert(
    fc.property(groups(3), groups(4), groups(4), (rest, one, another) => {
      // A first group that is no 0 keeps addresses of the other version out.
      const shared = ['2001', ...rest]
      expect(networkOf([...shared, ...one].join(':'))).toBe(networkOf([...shared, ...another].join(':')))
      expect(networkOf([...shared, ...one].join(':'))).toBe(`${shared.join(':')}::/64`)
    }),
  )
})

it('takes any text for some network', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
      expect(networkOf(text)).toMatch(/^(unknown|[\d.]+\.0\/24|[\da-f:]+::\/64)$/)
    }),
  )
})
