// Tests the merge of a JSON Merge Patch by the cases of https://www.rfc-editor.org/rfc/rfc7396#appendix-A, and what its schema takes.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { applyMergePatch, mergePatchShape } from '../../../src/platform/merge-patch.ts'

describe('the merge', () => {
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"a":1}', '{"__proto__":{"a":2},"constructor":{"b":null}}', '{"a":1,"__proto__":{"a":2},"constructor":{}}'],
  ])('of %s with %s is %s', (target, patch, merged) => {
    const before: unknown = JSON.parse(target)
    expect(JSON.stringify(applyMergePatch(before, JSON.parse(patch)))).toBe(merged)
    expect(JSON.stringify(before)).toBe(target)
  })
})

describe('the schema of a patch', () => {
  const Schema = z.strictObject(
    mergePatchShape(
      z.strictObject({
        rule: z.strictObject({ limit: z.int().default(5), list: z.array(z.string()) }).optional(),
        keys: z.record(z.string().regex(/^k/), z.strictObject({ limit: z.int() })).optional(),
      }),
    ),
  )

  it.each([
    {},
    { rule: null, keys: null },
    { rule: { list: null } },
    { rule: { limit: 3 }, keys: { k1: null, k2: { limit: null }, k3: {} } },
  ])('takes %j as it is', (patch) => {
    expect(Schema.parse(patch)).toStrictEqual(patch)
  })

  it.each([{ other: null }, { rule: { other: null } }, { rule: { list: [null] } }, { keys: { x: null } }, { rule: 5 }])(
    'refuses %j',
    (patch) => {
      expect(Schema.safeParse(patch).success).toBe(false)
    },
  )
})
