// Which addresses a webhook's name may lead to.
import { expect, it } from 'vitest'
import { ipBytes } from '../../../scripts/local/servers/dns-answer.ts'
import { isPublicAddress } from '../../../src/notifications/check-host.ts'

it.each([
  ['the first of all', '0.0.0.0'],
  ['this network', '0.255.255.255'],
  ['private, 10/8', '10.0.0.0'],
  ['private, 10/8', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0'],
  ['carrier-grade NAT', '100.127.255.255'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.255'],
  ['metadata of most clouds', '169.254.169.254'],
  ['link-local', '169.254.0.0'],
  ['the platform of Azure', '168.63.129.16'],
  ['private, 172.16/12', '172.16.0.0'],
  ['private, 172.16/12', '172.31.255.255'],
  ['protocols', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['the relay of 6to4', '192.88.99.1'],
  ['private, 192.168/16', '192.168.0.1'],
  ['benchmarking', '198.19.255.255'],
  ['documentation', '198.51.100.7'],
  ['documentation', '203.0.113.9'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4 in IPv6', '::ffff:127.0.0.1'],
  ['IPv4 in IPv6, public', '::ffff:8.8.8.8'],
  ['the older IPv4 in IPv6', '::10.0.0.1'],
  ['NAT64 to a private address', '64:ff9b::a00:1'],
  ['NAT64 of one’s own', '64:ff9b:1::1'],
  ['discarding', '100::1'],
  ['Teredo', '2001::1'],
  ['ORCHID', '2001:20::1'],
  ['other protocols', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '2001:db8::1'],
  ['6to4 of 10.0.0.1', '2002:a00:1::1'],
  ['documentation', '3fff:fff::1'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fc00::1'],
  ['unique local, metadata of AWS', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
])('refuses %s: %s', (_, address) => {
  expect(isPublicAddress(ipBytes(address))).toBe(false)
})

it.each([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.17',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:db7::1',
  '2003::1',
  '2606:4700:4700::1111',
  '3ffe:ffff::1',
])('allows %s', (address) => {
  expect(isPublicAddress(ipBytes(address))).toBe(true)
})

it.each([0, 3, 5, 15, 17])('refuses what has %i bytes', (length) => {
  expect(isPublicAddress(new Uint8Array(length).fill(1))).toBe(false)
})
