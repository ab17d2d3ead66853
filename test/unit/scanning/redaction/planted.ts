// Invented values of many shapes, some with quotes and line ends in them.
import fc from 'fast-check'

const KEY = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----'

export const PLANTED = fc.constantFrom(
  '087 123 4567',
  '087 765\n4321',
  'D02 X285',
  'T12 X00E',
  '943 476 5919',
  '1234567FA',
  '12/03/1970',
  'joe@example.ie',
  '"joe bloggs"@example.ie',
  'SW1A 1AA',
  '4111 1111 1111 1111',
  'IE29 AIBK 9311 5212 3456 78',
  'IE29AIBK93115212345678',
  KEY,
)
