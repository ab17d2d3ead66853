// Documents that two readers could understand differently, or that nobody can read.
import type { Vector } from '../../fixtures/attestation/vector.ts'
import { signed, text } from './craft.ts'

const nested = (levels: number): unknown => {
  let value: unknown = 0
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

const unreadableText = (name: string, fault: string, content: string): Vector => ({
  name,
  expected: 'unreadable',
  fault,
  text: content,
})
const unreadableBytes = (name: string, fault: string, ...parts: (string | number[])[]): Vector => ({
  name,
  expected: 'unreadable',
  fault,
  hex: Buffer.concat(parts.map((part) => Buffer.from(part))).toString('hex'),
})
const good1 = text(signed())
const [beforeModel = '', afterModel = ''] = good1.split('invented-model')

export const unreadable: Vector[] = [
  unreadableText('nothing', 'not_json', ''),
  unreadableText('white space', 'not_json', ' \n'),
  unreadableText('cut off', 'not_json', good1.slice(0, -1)),
  unreadableText('two objects', 'not_json', `${good1}\n${good1}`),
  unreadableText('a comma at the end', 'not_json', good1.replace(/\}$/, ',}')),
  unreadableText('a comment', 'not_json', `/* */${good1}`),
  unreadableText('single quotes', 'not_json', good1.replaceAll('"', "'")),
  unreadableText('NaN', 'not_json', good1.replace('eur":0', 'eur":NaN')),
  unreadableText('Infinity', 'not_json', good1.replace('eur":0', 'eur":Infinity')),
  unreadableText('-Infinity', 'not_json', good1.replace('eur":0', 'eur":-Infinity')),
  unreadableText('a number that begins with zero', 'not_json', good1.replace('eur":0', 'eur":00')),
  unreadableText('a plus sign', 'not_json', good1.replace('eur":0', 'eur":+0')),
  unreadableText('a hexadecimal number', 'not_json', good1.replace('eur":0', 'eur":0x0')),
  unreadableText('a line feed in a string', 'not_json', good1.replace('invented-model', 'a\nb')),
  unreadableText('an escape that JSON does not know', 'not_json', good1.replace('invented-model', String.raw`\x41`)),
  unreadableText('a non-breaking space', 'not_json', `\u00a0${good1}`),
  unreadableText('a member twice', 'duplicate_member', good1.replace('{', '{"v":1,')),
  unreadableText('a member twice, once escaped', 'duplicate_member', good1.replace('{', String.raw`{"\u0076":1,`)),
  unreadableText('a member twice, nested', 'duplicate_member', good1.replace('"invented-model"', '[{"a":1,"a":1}]')),
  unreadableText('a member twice, after an object', 'duplicate_member', '{"a":{"b":[{}],"c":"}"},"a":1}'),
  unreadableText('an array', 'not_one_object', `[${good1}]`),
  unreadableText('a string', 'not_one_object', JSON.stringify(good1)),
  unreadableText('a number', 'not_one_object', '1'),
  unreadableText('null', 'not_one_object', 'null'),
  unreadableText('nested 501 levels deep', 'too_deep', JSON.stringify({ a: nested(500) })),
  unreadableBytes('a byte-order mark', 'byte_order_mark', [0xef, 0xbb, 0xbf], good1),
  unreadableBytes('UTF-16', 'not_utf8', [0xff, 0xfe, ...Buffer.from(good1, 'utf16le')]),
  unreadableBytes('a continuation byte alone', 'not_utf8', beforeModel, [0x80], afterModel),
  unreadableBytes('a sequence cut short', 'not_utf8', beforeModel, [0xe2, 0x82], afterModel),
  unreadableBytes('an overlong slash', 'not_utf8', beforeModel, [0xc0, 0xaf], afterModel),
  unreadableBytes('an overlong slash of three bytes', 'not_utf8', beforeModel, [0xe0, 0x80, 0xaf], afterModel),
  unreadableBytes('half a surrogate pair in UTF-8', 'not_utf8', beforeModel, [0xed, 0xa0, 0x80], afterModel),
  unreadableBytes('beyond the last code point', 'not_utf8', beforeModel, [0xf4, 0x90, 0x80, 0x80], afterModel),
  unreadableBytes('a byte that UTF-8 never has', 'not_utf8', beforeModel, [0xff], afterModel),
]
